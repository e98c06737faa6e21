"""The scenes of a third hand: cameras in trouble, roads at night, lakes, leaves, machines, and more visits."""

from . import scene
from . import third_camera as camera
from . import third_nature as nature
from . import third_things as things
from . import third_visits as visits

SCENES = {
    # The camera
    "thermal": scene(camera.thermal),
    "thermal-walker": scene(camera.thermal, walkers=True),
    "turbulence": scene(camera.turbulence),
    "turbulence-car": scene(camera.turbulence, cars=True),
    "slow-1fps-walker": scene(camera.slow, rate=1.0, kind="walker"),
    "slow-1fps-car": scene(camera.slow, rate=1.0, kind="car"),
    "slow-1fps-tree": scene(camera.slow, rate=1.0, kind="tree"),
    "slow-halffps-walker": scene(camera.slow, rate=0.5, kind="walker"),
    "slow-halffps-car": scene(camera.slow, rate=0.5, kind="car"),
    "lens-drops": scene(camera.lens_drops),
    "lens-drops-walker": scene(camera.lens_drops, walkers=True),
    "handheld-jitter": scene(camera.jitter),
    "jitter-walker": scene(camera.jitter, walkers=True),
    "focus-hunt": scene(camera.focus_hunt),
    "gain-pump": scene(camera.gain_pump),
    "gain-walker": scene(camera.gain_pump, walkers=True),
    "interlaced-walker": scene(camera.interlaced),
    "duplicated": scene(camera.duplicated),
    "duplicated-walker": scene(camera.duplicated, walkers=True),
    "lowbitrate": scene(camera.lowbitrate),
    "lowbitrate-walker": scene(camera.lowbitrate, walkers=True),
    "portrait-walker": scene(camera.portrait),
    # Water, sun, weather, plants, insects
    "lake": scene(nature.lake),
    "lake-boat": scene(nature.lake, boat=True),
    "dappled": scene(nature.dappled),
    "dappled-walker": scene(nature.dappled, walkers=True),
    "low-sun": scene(nature.low_sun),
    "leaves": scene(nature.leaves),
    "leaves-walker": scene(nature.leaves, walkers=True),
    "steam": scene(nature.steam),
    "steam-walker": scene(nature.steam, walkers=True),
    "fog": scene(nature.fog),
    "fog-walker": scene(nature.fog, walkers=True),
    "bugs-night": scene(nature.bugs_night),
    # Lights, fans, machines
    "night-road": scene(things.night_road),
    "night-glare": scene(things.night_glare),
    "room-fan": scene(things.room_fan),
    "room-fan-visitor": scene(things.room_fan, visitor=True),
    "machine": scene(things.machine),
    "machine-walker": scene(things.machine, walkers=True),
    # Visits with a course of their own
    "bag": scene(visits.bag),
    "removed": scene(visits.bag, removed=True),
    "parking": scene(visits.parking),
    "cat": scene(visits.cat),
    "street": scene(visits.street),
    "overhead-walker": scene(visits.overhead),
}
ENCODERS = {"lowbitrate": camera.few_bits, "lowbitrate-walker": camera.few_bits}
