"""Draws synthetic security-camera videos with exact truth, held out from the tuning of any motion detector.

A scene is a function of a random generator: it composes a place (garden, street, car park, room), a light, a camera and
what happens in front of it, and returns the truth with a generator function that draws the pictures. Scenes whose name
ends in "-walker" contain a passer-by an owner wants to be told of; most others contain only a disturbance. A seed
repeats a video exactly.

Lengths of things in the scene are in body heights (the height of a grown person, about 1.7 m); positions in the picture
are in pixels. Colours are BGR, 0 to 255, in float until the sensor.
"""

import functools

from . import scenes_camera as camera
from . import scenes_light as light
from . import scenes_restless as restless
from . import scenes_visited as visited
from . import scenes_weather as weather
from . import scenes_wind as wind
from .stage import Truth

__all__ = ["SCENES", "Truth"]


def scene(function, **options):
    """A scene function with the given options bound, which keeps its docstring."""
    return functools.update_wrapper(functools.partial(function, **options), function)


SCENES = {
    # Weather
    "rain-light": scene(weather.rain, amount=0.25),
    "rain-medium": scene(weather.rain, amount=0.6),
    "rain-heavy": scene(weather.rain, amount=1.5),
    "snow-light": scene(weather.snow, amount=0.3),
    "snow-medium": scene(weather.snow, amount=0.8),
    "snow-heavy": scene(weather.snow, amount=2.0),
    "clouds": scene(weather.clouds),
    "cloud-shadows": scene(weather.cloud_shadows),
    # Light
    "sun-and-shadow": scene(light.sun_and_shadow),
    "rolling-bands": scene(camera.rolling_bands),
    "headlight-sweep": scene(light.headlight_sweep),
    "lamp-switched": scene(light.lamp_switched),
    "exposure-steps": scene(camera.exposure_steps),
    # Restless things
    "foliage": scene(wind.foliage),
    "foliage-near": scene(wind.foliage_near),
    "cold-tree": scene(wind.foliage, strength=(0.02, 0.035), cold=True),
    "flag": scene(wind.flag),
    "steam": scene(wind.steam),
    "fountain-water": scene(restless.water),
    "banner-scrolling": scene(light.banner_scrolling),
    "television": scene(light.television),
    # Insects and a spider
    "insects-near-lens": scene(restless.insects_near_lens),
    "moths-at-lamp": scene(restless.moths_at_lamp),
    "spider": scene(restless.spider),
    # The camera
    "ir-switch": scene(camera.ir_switch),
    "night-noise": scene(camera.night_noise),
    "compression-pulse": scene(camera.compression_pulse),
    "shaking-mast": scene(camera.shaking),
    "pan-slow": scene(camera.pan, seconds=(5, 9)),
    "pan-quick": scene(camera.pan, seconds=(0.6, 2)),
    "cut-back": scene(camera.cut_back),
    # Still scenes
    "clock-only": scene(camera.empty, clock=True),
    "day-empty": scene(camera.empty),
    "indoor-empty": scene(camera.empty, inside=True),
    # Visits
    "two-walkers-crossing": scene(visited.two_walkers_crossing),
    "standing-visitor": scene(visited.standing_visitor),
    "seated-person": scene(visited.seated_person),
    "slow-2fps": scene(visited.slow_2fps),
    "far-walker": scene(visited.far_walker),
    "low-contrast-walker": scene(visited.low_contrast_walker),
    "equal-luma-walker": scene(visited.equal_luma_walker),
    "dog": scene(visited.dog),
    "fast-crossing": scene(visited.fast_crossing),
    "car-passes": scene(visited.car_passes),
    "car-parks": scene(visited.car_parks),
    # Visits amid a disturbance
    "rain-walker": scene(weather.rain, amount=0.6, walkers=True),
    "walker-with-umbrella-in-rain": scene(weather.rain, amount=0.9, walkers=True, umbrella=True),
    "snow-walker": scene(weather.snow, amount=0.8, walkers=True),
    "clouds-walker": scene(weather.clouds, walkers=True),
    "foliage-walker": scene(wind.foliage, walkers=True),
    "flag-walker": scene(wind.flag, walkers=True),
    "water-walker": scene(restless.water, walkers=True),
    "television-walker": scene(light.television, walkers=True),
    "dark-noise-walker": scene(camera.night_noise, walkers=True),
    "shaking-walker": scene(camera.shaking, walkers=True),
    "pan-walker": scene(camera.pan, seconds=(1.5, 6), walkers=True),
}
