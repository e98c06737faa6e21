"""Events, tracks and steady frames."""

from __future__ import annotations

import json
import wave
from fractions import Fraction

import numpy as np
import pytest
from conftest import shifted, texture

import rheo


LEFT = {"name": "left", "polygon": [[0, 0], [0.4, 0], [0.4, 1], [0, 1]]}


def visit(count: int = 75, first: int = 20, last: int = 55) -> list[np.ndarray]:
    """Frames in which a square crosses the image, with noise."""
    background, square = texture(180, 320, seed=4) // 2 + 60, texture(36, 30, seed=8)
    rng = np.random.default_rng(2)
    frames = []
    for number in range(count):
        frame = background.astype(np.float32) + rng.normal(0, 1.5, background.shape)
        if first <= number < last:
            x = 10 + 7 * (number - first)
            frame[70:106, x : x + 30] = square
        frames.append(np.clip(frame, 0, 255).astype(np.uint8))
    return frames


def test_a_visit_is_one_event():
    detector = rheo.MotionDetector(threads=1)
    updates = []
    for number, frame in enumerate(visit()):
        updates += detector.append(frame, Fraction(number, 25))
    updates += detector.finish()
    assert [update.kind for update in updates if update.event] == ["started", "ended"]
    event = updates[-1].event
    assert event.number == 1 and 18 <= event.start.frame <= 24 and event.peak_score > 1
    assert event.end.seconds == event.end.frame / 25 and event.duration > 1
    assert event.u > 3 > abs(event.v) and event.boxes
    box = next(box for box in event.boxes if box.frame == 40)
    assert abs(box.x + box.width / 2 - (10 + 7 * 20 + 15)) < 20


def test_zones_and_statistics():
    detector = rheo.MotionDetector(zones={"zones": [LEFT]}, statistics=True)
    updates = []
    for number, frame in enumerate(visit(50)):
        updates += detector.append(frame, number / 25)
    updates += detector.finish()
    assert sum(update.kind == "frame" for update in updates) == 50
    assert updates[0].statistics is not None
    events = [update.event for update in updates if update.kind == "ended"]
    assert [event.zones for event in events] == [("left",)]


def test_colour_frames_and_floats_find_the_same_event():
    starts = []
    for convert in (lambda f: f, lambda f: f.astype(np.float32), lambda f: np.dstack([f] * 3)):
        detector = rheo.MotionDetector()
        updates = [u for n, f in enumerate(visit(60)) for u in detector.append(convert(f), n / 25)] + detector.finish()
        starts.append([update.event.start.frame for update in updates if update.kind == "ended"])
    assert starts[0] == starts[1] == starts[2] and len(starts[0]) == 1


def test_wrong_frames_and_times():
    detector = rheo.MotionDetector()
    detector.append(texture(60, 80), 1)
    for frame, time, words in (
        (texture(60, 80), 1, "times rise"),
        (texture(60, 80), float("nan"), "time nan"),
        (texture(60, 80), Fraction(1, 2**40), "denominator"),
        (texture(60, 90), 2, "frame has shape"),
        (np.full((60, 80), np.nan, np.float32), 2, "holds nan"),
    ):
        with pytest.raises(ValueError, match=words):
            detector.append(frame, time)
    detector.append(texture(60, 80), 2)
    detector.finish()
    with pytest.raises(ValueError, match="finished"):
        detector.append(texture(60, 80), 3)
    for options, words in (
        ({"threshold": 0}, "threshold"),
        ({"threshold": "x"}, "threshold 'x': it is a finite number"),
        ({"threshold": float("inf")}, "threshold inf: it is a finite number"),
        ({"threshold": True}, "threshold True"),
        ({"statistics": "no"}, "statistics 'no': it is True or False"),
        ({"hysteresis": 5}, "hysteresis is more than 0 and up to 1, not 5"),
        ({"hysteresis": -3}, "hysteresis .*not -3"),
        ({"light_share": 9}, "light share is more than 0 and up to 1, not 9"),
        ({"light_share": 0}, "light share .*not 0"),
        ({"compensate": 1}, "compensate 1: it is none, translation, homography"),
        ({"compensate": "yes"}, "compensate 'yes'"),
        ({"merge_gap": -1.0}, "merge gap"),
    ):
        with pytest.raises(ValueError, match=words):
            rheo.MotionDetector(**options)


@pytest.mark.parametrize(
    ("zones", "words"),
    [
        ([1], r"zones \[1\]: it is the contents of a zones file"),
        ("zones.json", "zones 'zones.json': it is the contents"),
        ({}, "zones: .*neither"),
        ({"zone": []}, r'^zones: .*the key "zone" \(a list\) is not known; allowed are zones, tripLines'),
        ({"zones": 1}, "zones is 1; allowed: a list of zones"),
        (
            {"zones": [{**LEFT, "treshold": 50}]},
            r'zones\[0\]: the key "treshold" \(50\) is not known; allowed are name',
        ),
        ({"zones": [{**LEFT, "threshold": "much"}]}, r'zones\[0\].threshold is "much"; allowed: 0…100'),
        ({"zones": [{**LEFT, "polygon": [[0, 0]]}]}, "zone 'left': a polygon has 3 corners or more, not 1"),
        ({"zones": [{**LEFT, "threshold": float("nan")}]}, r"^zones.zones\[0\].threshold nan: it is .*a finite number"),
        ({"zones": [{**LEFT, "threshold": {1}}]}, r"^zones.zones\[0\].threshold \{1\}: it is"),
        ({"tripLines": [{"name": "a", "from": [0, 0], "till": [1, 1]}]}, r'tripLines\[0\]: the key "till"'),
    ],
)
def test_wrong_zones(zones, words):
    with pytest.raises(ValueError, match=words):
        rheo.MotionDetector(zones=zones)


def test_zones_of_arrays():
    zones = {"zones": [{**LEFT, "polygon": np.array(LEFT["polygon"]), "threshold": np.float32(2)}]}
    assert rheo.MotionDetector(zones=zones, threshold=np.float32(1)).finish() == []


def test_chrominance_goes_with_its_frame():
    luma = texture(61, 90)
    for shape in ((61, 90), (31, 45), (61, 45), (61, 23), (16, 23), (30, 45)):
        plane = np.full(shape, 128, np.uint8)
        assert rheo.MotionDetector().append(luma, 0, chrominance=(plane, plane)) == []
    half, other = np.full((31, 45), 128, np.uint8), np.full((3, 4), 128, np.uint8)
    detector = rheo.MotionDetector()
    for frame, chrominance, words in (
        (luma, (other, other), "chrominance planes of 4×3 to a luma of 90×61"),
        (luma, (half, other), "chrominance planes of 45×31 and 4×3"),
        (luma, (other, half), "chrominance planes of 4×3 and 45×31"),
        (luma, (half,), "chrominance .*: it is a pair"),
        (luma, 5, "chrominance 5: it is a pair"),
        (luma, (np.dstack([half] * 3), half), r"chrominance\[0\] has shape \(31, 45, 3\)"),
        (np.dstack([luma] * 3), (half, half), "with chrominance it is grey"),
    ):
        with pytest.raises(ValueError, match=words):
            detector.append(frame, 0, chrominance=chrominance)
    # What was refused was no first frame.
    assert detector.append(texture(40, 50), 0) == []


@pytest.mark.parametrize("kind", [rheo.MotionDetector, rheo.Tracker, rheo.Stabilizer, rheo.Sequence])
def test_channels_are_checked_at_once(kind):
    with pytest.raises(ValueError, match="channels 'gbr': it is rgb, bgr"):
        kind(channels="gbr")


def test_a_box_is_followed():
    base = texture(120, 200, seed=6)
    tracker = rheo.Tracker(boxes=[(60, 40, 40, 30)])
    for number in range(12):
        tracker.append(shifted(base, 3 * number, number), number / 25)
    (track,) = tracker.finish()
    assert track.id == 1 and track.kind == "box" and track.loss is None and len(track.positions) == 12
    x, y, width, height = track.positions[-1].box
    assert abs(x - 93) < 3 and abs(y - 51) < 3 and abs(width - 40) < 4 and abs(height - 30) < 4
    assert track.positions[-1].seconds == pytest.approx(11 / 25)


def test_points_follow_the_flow_and_leave_the_image():
    base = texture(120, 200, seed=6)
    tracker = rheo.Tracker(points=[(100, 60), (195, 60)])
    for number in range(8):
        tracker.append(shifted(base, 2 * number, 0), Fraction(number, 25))
    inside, outside = tracker.finish()
    x = inside.positions[-1].box[0] + inside.positions[-1].box[2] / 2
    assert inside.kind == "point" and abs(x - 114.5) < 1.5
    assert outside.loss == "left-picture"


def test_what_moves_is_found():
    tracker = rheo.Tracker()
    for number, frame in enumerate(visit(120, first=60, last=100)):
        tracker.append(frame, number / 25)
    tracks = tracker.finish()
    assert len(tracks) == 1
    at_80 = next(position for position in tracks[0].positions if position.frame == 80)
    assert abs(at_80.box[0] - (10 + 7 * 20)) < 15 and abs(at_80.box[1] - 70) < 15


def test_wrong_tracks():
    with pytest.raises(ValueError, match="cannot be followed"):
        rheo.Tracker(boxes=[(1, 2, 0, 5)])
    for options, words in (
        ({"boxes": [(1, 2)]}, r"boxes\[0\] \(1, 2\): it is \(x, y, width, height\)"),
        ({"boxes": [(1, 2, 3, 4), 5]}, r"boxes\[1\] 5: it is"),
        ({"boxes": 5}, r"boxes 5: it is a list of \(x, y, width, height\)"),
        ({"boxes": [("a", 1, 2, 3)]}, r"boxes\[0\] \('a', 1, 2, 3\)"),
        ({"points": [(1, 2, 3)]}, r"points\[0\] \(1, 2, 3\): it is \(x, y\)"),
        ({"points": [(float("nan"), 2)]}, r"points\[0\] \(nan, 2\): it is \(x, y\), finite numbers"),
        ({"level": "best"}, "level 'best': it is fast, accurate"),
        ({"patience": "long"}, "patience 'long': it is a finite number"),
        ({"patience": -1}, "patience -1"),
        ({"objects": "all"}, "objects 'all': it is True or False"),
    ):
        with pytest.raises(ValueError, match=words):
            rheo.Tracker(**options)
    tracker = rheo.Tracker(boxes=[(10, 10, 20, 20)])
    tracker.append(texture(60, 80), 0)
    assert tracker.add_box(30, 30, 10, 10) == 2
    with pytest.raises(ValueError, match="width 'wide'"):
        tracker.add_box(30, 30, "wide", 10)
    for time in ("later", None, True):
        with pytest.raises(ValueError, match=f"time {time!r}: it is a number of seconds"):
            tracker.append(texture(60, 80), time)
    with pytest.raises(ValueError, match="first point"):
        tracker.add_point(3, 3)


def shaken(count: int = 60) -> tuple[list[np.ndarray], np.ndarray]:
    """Frames of a camera that shakes, and by how much."""
    large = texture(200, 260, seed=11)
    way = np.cumsum(np.random.default_rng(3).normal(0, 1.2, (count, 2)), axis=0)
    way -= way.mean(axis=0)
    way = np.clip(way, -9, 9)
    return [np.ascontiguousarray(shifted(large, x, y)[30:-30, 30:-30]) for x, y in way], way


def jitter(frames: list[np.ndarray]) -> float:
    """The mean change of the motion from frame to frame."""
    motion = [rheo.register(a, b, "translation").transform[:2, 2] for a, b in zip(frames, frames[1:])]
    return float(np.abs(np.diff(motion, axis=0)).mean())


def test_steady_frames():
    frames, _ = shaken()
    stabilizer = rheo.Stabilizer("translation", smoothing=2)
    steady = []
    for number, frame in enumerate(frames):
        known = stabilizer.append(frame, number / 25)
        assert number < 30 or steady or known, "frames wait for half a window, 25 of them, and no longer"
        steady += known
    steady += stabilizer.finish()
    assert len(steady) == 60 and all(frame.shape == frames[0].shape for frame in steady)
    assert jitter([frame[15:-15, 15:-15] for frame in steady]) < 0.4 * jitter(frames)


def test_a_view_that_is_held():
    """All frames of a shake lie where the first one does."""
    frames, _ = shaken()
    stabilizer = rheo.Stabilizer("translation", tripod=True, zoom=1.4)
    steady = [known for number, frame in enumerate(frames) for known in stabilizer.append(frame, number / 25)]
    steady += stabilizer.finish()
    inner = [frame[25:-25, 25:-25] for frame in steady]
    shifts = [rheo.register(inner[0], frame, "translation").transform[:2, 2] for frame in inner[1:]]
    assert np.abs(shifts).max() < 0.3


def test_wrong_stabilizers():
    for options, words in (
        ({"tripod": 3}, "tripod 3"),
        ({"smoothing": 30}, "smoothing 30"),
        ({"zoom": 0.5}, "zoom 0.5"),
        ({"zoom": "x"}, "zoom 'x': it is a finite number"),
        ({"model": "spline"}, "model 'spline'"),
        ({"border": "mirror"}, "border 'mirror'"),
    ):
        with pytest.raises(ValueError, match=words):
            rheo.Stabilizer(**options)
    with pytest.raises(ValueError, match="float32"):
        rheo.Stabilizer().append(np.zeros((9, 9), np.float32), 0)


def test_events_are_those_of_the_program(tmp_path, program, clip):
    pytest.importorskip("av")
    program("detect", clip, "--report", tmp_path / "events.json", "--threshold", "0.02")
    told = json.loads((tmp_path / "events.json").read_text())
    detector = rheo.MotionDetector(threshold=0.02)
    updates = [
        update
        for frame in rheo.open(clip)
        for update in detector.append(frame.image, frame.time, chrominance=frame.chrominance)
    ]
    events = [update.event for update in updates + detector.finish() if update.kind == "ended"]
    expected = told["inputs"][0]["events"] if "inputs" in told else told["events"]
    assert len(events) == len(expected) >= 1
    for event, entry in zip(events, expected):
        assert (event.start, event.end, event.peak) == tuple(
            (entry[name]["frame"], pytest.approx(entry[name]["seconds"])) for name in ("start", "end", "peak")
        )
        assert event.peak_score == pytest.approx(entry["peak"]["score"], abs=0.01)
        assert (event.u, event.v) == (entry["meanMotion"]["u"], entry["meanMotion"]["v"])
        names = ("frame", "x", "y", "width", "height")
        assert list(event.boxes) == [tuple(box[name] for name in names) for box in entry["boxes"]]


def test_flow_of_a_video_is_that_of_the_program(tmp_path, program, clip):
    pytest.importorskip("av")
    program("export", clip, "--output", tmp_path / "flow.npy", "--frames", "6")
    expected = np.load(tmp_path / "flow.npy")
    sequence, found = rheo.Sequence(), []
    with rheo.open(clip) as video:
        for frame in video:
            observation = sequence.append(frame.image)
            if observation is not None:
                found.append(observation.flow)
            if frame.number == 5:
                break
    assert np.array_equal(np.stack(found), expected[: len(found)]) and len(found) == 5


def test_videos(clip, tmp_path):
    av = pytest.importorskip("av")
    frames = list(rheo.open(clip))
    assert [frame.number for frame in frames] == list(range(len(frames))) and len(frames) > 50
    assert all(later.time > earlier.time for earlier, later in zip(frames, frames[1:]))
    assert isinstance(frames[1].time, Fraction) and frames[0].image.ndim == 2
    with rheo.open(clip, "rgb") as video:
        first = next(iter(video))
    assert first.image.shape == (*frames[0].image.shape, 3)
    with pytest.raises((av.error.FileNotFoundError, OSError)):
        rheo.open(tmp_path / "none.mp4")
    with pytest.raises(ValueError, match="layout 'yuv'"):
        rheo.open(clip, "yuv")
    for stream, words in ((5, "stream 5: .*clip.mp4 has the video streams 0$"), (-1, "stream -1"), (0.5, "stream 0.5")):
        with pytest.raises(ValueError, match=words):
            rheo.open(clip, stream=stream)
    with wave.open(str(tmp_path / "sound.wav"), "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(2)
        sound.setframerate(8000)
        sound.writeframes(bytes(8000))
    with pytest.raises(ValueError, match="sound.wav has no video stream"):
        rheo.open(tmp_path / "sound.wav")
