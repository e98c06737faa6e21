"""Flow: what it finds, what it accepts, and what it refuses."""

from __future__ import annotations

import threading
import warnings

import numpy as np
import pytest
from conftest import shifted, texture

import rheo
import rheo.opencv


def center(flow: np.ndarray) -> np.ndarray:
    return np.median(flow[20:-20, 20:-20], axis=(0, 1))


@pytest.mark.parametrize("algorithm", ["dis", "farneback", "lucas-kanade"])
def test_finds_a_shift(pair, algorithm):
    flow = rheo.flow(*pair, algorithm=algorithm)
    assert flow.shape == (160, 200, 2) and flow.dtype == np.float32 and flow.flags.c_contiguous
    assert np.abs(center(flow) - (3, -2)).max() < 0.1


@pytest.mark.parametrize("accuracy", ["low", "medium", "high", "very-high"])
def test_each_accuracy_finds_a_shift(pair, accuracy):
    assert np.abs(center(rheo.flow(*pair, accuracy=accuracy)) - (3, -2)).max() < 0.25


def test_backward_flow_is_forward_flow_of_the_exchanged_images(pair):
    previous, current = pair
    assert np.array_equal(rheo.flow(previous, current, direction="backward"), rheo.flow(current, previous))


def test_both_directions_agree_with_single_ones(pair):
    both = rheo.bidirectional_flow(*pair)
    assert np.array_equal(both.flow, rheo.flow(*pair))
    assert np.array_equal(both.backward, rheo.flow(*pair, direction="backward"))
    assert both.confidence.shape == (160, 200) and both.confidence.dtype == np.float32
    assert both.occlusion.shape == (160, 200) and both.occlusion.dtype == np.bool_
    assert both.confidence[40:-40, 40:-40].mean() > 0.9 and not both.occlusion[40:-40, 40:-40].any()


def test_occlusion_lies_where_something_covers_the_background():
    background = texture(160, 200, seed=3)
    previous, current = background.copy(), background.copy()
    square = texture(50, 50, seed=9)
    previous[50:100, 60:110] = square
    current[50:100, 72:122] = square
    found = rheo.bidirectional_flow(previous, current, accuracy="high")
    covered = found.occlusion[55:95, 111:121].mean()
    assert covered > 0.5 > 0.1 > found.occlusion[:40].mean()


def test_sequence_gives_what_pairs_give():
    frames = [shifted(texture(96, 128), 2.5 * number, number) for number in range(4)]
    sequence = rheo.Sequence()
    found = [sequence.append(frame) for frame in frames]
    assert found[0] is None
    for number in range(1, 4):
        assert np.array_equal(found[number].flow, rheo.flow(frames[number - 1], frames[number]))
    sequence.reset()
    assert sequence.append(texture(50, 60)) is None


def test_sequence_with_both_directions_and_confidence():
    first, second = texture(96, 128), shifted(texture(96, 128), 2, 0)
    both = rheo.Sequence(direction="both")
    both.append(first)
    expected = rheo.bidirectional_flow(first, second)
    for mine, theirs in zip(both.append(second), expected):
        assert np.array_equal(mine, theirs)
    sure = rheo.Sequence(confidence=True)
    sure.append(first)
    found = sure.append(second)
    assert found.backward is None and 0 <= found.confidence.min() <= found.confidence.max() <= 1


def test_warm_start_finds_faster_motion():
    large = texture(200, 400, sigma=2)
    frames = [np.ascontiguousarray(large[:, 8 * n : 8 * n + 200]) for n in range(5)]
    sequence = rheo.Sequence(accuracy="low", warm_start=True)
    last = [sequence.append(frame) for frame in frames][-1]
    assert np.abs(center(last.flow) - (-8, 0)).max() < 0.5


def test_threads_change_no_bit(pair):
    single = rheo.flow(*pair, threads=1)
    assert all(np.array_equal(single, rheo.flow(*pair, threads=threads)) for threads in (0, 2, 3))


def test_layouts_change_no_bit(pair):
    previous, current = pair
    expected = rheo.flow(previous, current)
    padded = np.zeros((160, 300, 2), np.uint8)
    padded[:, 50:250, 1] = previous
    padded.flags.writeable = False
    upside_down = np.ascontiguousarray(previous[::-1, ::-1])
    misaligned = np.zeros(160 * 200 * 2 + 1, np.uint8)[1:].view(np.uint16).reshape(160, 200)
    misaligned[...] = previous.astype(np.uint16) * 257
    for layout in (
        padded[:, 50:250, 1],
        upside_down[::-1, ::-1],
        np.asfortranarray(previous),
        previous[:, :, None],
        previous.astype(np.float32),
        previous.astype(np.uint16) * 257,
        (previous.astype(np.uint16) * 257).astype(">u2"),
        misaligned,
        np.repeat(previous[:, :, None], 3, axis=2),
        np.dstack([previous] * 3 + [np.zeros_like(previous)]),
    ):
        assert np.allclose(rheo.flow(layout, current), expected, atol=1e-3, equal_nan=True), layout.dtype
    assert np.array_equal(rheo.flow(padded[:, 50:250, 1], current), expected)
    assert np.array_equal(rheo.flow(upside_down[::-1, ::-1], current), expected)


def test_order_of_channels():
    rng = np.random.default_rng(5)
    color = np.dstack([texture(96, 128, seed=s) for s in rng.integers(0, 99, 3)])
    moved = np.dstack([shifted(color[:, :, c], 2, 1) for c in range(3)])
    expected = rheo.flow(color, moved)
    assert np.array_equal(rheo.flow(color[:, :, ::-1], moved[:, :, ::-1], channels="bgr"), expected)
    luma = np.floor(color @ np.float32([0.299, 0.587, 0.114]) + 0.5)
    moved_luma = np.floor(moved @ np.float32([0.299, 0.587, 0.114]) + 0.5)
    difference = rheo.flow(luma.astype(np.float32), moved_luma.astype(np.float32)) - expected
    assert np.abs(difference).mean() < 1e-3


def test_region_and_size_and_parameters(pair):
    part = rheo.flow(*pair, region=(0.25, 0.25, 0.5, 0.5))
    assert np.isnan(part[0, 0]).all() and np.abs(center(part[40:120, 50:150]) - (3, -2)).max() < 0.2
    assert np.abs(center(rheo.flow(*pair, max_dimension=100)) - (3, -2)).max() < 0.3
    assert not np.array_equal(rheo.flow(*pair, parameters="smoothness=40"), rheo.flow(*pair))


IMAGE = np.zeros((8, 9), np.uint8)
NAN = np.full((8, 9), np.nan, np.float32)


@pytest.mark.parametrize(
    ("previous", "current", "words"),
    [
        (IMAGE.astype(np.float64), IMAGE, "previous has dtype float64"),
        (IMAGE, IMAGE.astype(np.int32), "current has dtype int32"),
        (IMAGE.astype(bool), IMAGE, "previous has dtype bool"),
        (IMAGE[0], IMAGE, r"previous has shape \(9,\)"),
        (IMAGE, np.zeros((8, 9, 2), np.uint8), r"current has shape \(8, 9, 2\)"),
        (IMAGE, np.zeros((2, 8, 9, 3), np.uint8), r"current has shape \(2, 8, 9, 3\)"),
        (IMAGE[:0], IMAGE[:0], r"previous has shape \(0, 9\): it is empty"),
        (IMAGE, IMAGE[1:], "previous has shape .* and current .*one size"),
        (np.ma.masked_equal(IMAGE, 0), IMAGE, "previous is a masked array"),
        (NAN, NAN, r"previous holds nan at \(0, 0\)"),
        (IMAGE, np.full((8, 9), np.inf, np.float32), "current holds inf"),
        (None, IMAGE, "previous has dtype object"),
        ("image.png", IMAGE, "previous has dtype"),
        ([[1, 2], [3]], IMAGE, "inhomogeneous"),
    ],
)
def test_wrong_images_are_value_errors(previous, current, words):
    with pytest.raises(ValueError, match=words):
        rheo.flow(previous, current)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"algorithm": "magic"}, "algorithm 'magic': it is dis, farneback, lucas-kanade"),
        ({"accuracy": "best"}, "accuracy 'best'"),
        ({"direction": "sideways"}, "direction 'sideways'"),
        ({"algorithm": 1}, "algorithm 1: it is dis, farneback, lucas-kanade"),
        ({"accuracy": 3}, "accuracy 3: it is low, medium, high, very-high"),
        ({"direction": "both"}, "bidirectional_flow"),
        ({"channels": "gbr"}, "channels 'gbr'"),
        ({"threads": -1}, "threads -1"),
        ({"threads": "two"}, "threads"),
        ({"threads": 10**30}, "threads"),
        ({"parameters": {"smoothness": 3}}, r"parameters \{'smoothness': 3\}: it is a text, 'key=value:key=value'"),
        ({"parameters": "speed=3"}, "unknown parameter"),
        ({"parameters": "smoothness=0"}, "smoothness=0: allowed is"),
        ({"region": (0, 0, 2, 1)}, "region"),
        ({"region": (0, 0, 1)}, r"region \(0, 0, 1\): it is \(x, y, width, height\)"),
        ({"region": (float("nan"), 0, 1, 1)}, "region .*nan.*finite"),
        ({"region": 3}, "region 3: it is"),
        ({"max_dimension": 3}, "max_dimension 3: it is 16"),
        ({"max_dimension": 50.5}, "max_dimension 50.5"),
    ],
)
def test_wrong_options_are_value_errors(pair, options, words):
    with pytest.raises(ValueError, match=words):
        rheo.flow(*pair, **options)


@pytest.mark.parametrize("level", [-256.0, 511.0, 65535.0, 1e30])
def test_floats_are_grey_levels(pair, level):
    previous, current = (image.astype(np.float32) for image in pair)
    expected = rheo.flow(previous, current)
    wrong = current.copy()
    wrong[2, 5] = level
    for call in (rheo.flow, rheo.bidirectional_flow, rheo.register):
        with pytest.raises(
            ValueError, match=r"(current|floating) holds .* at \(5, 2\): floats are grey levels, 0 to 255"
        ):
            call(previous, wrong)
    assert np.array_equal(rheo.flow(previous, current), expected)
    wrong[2, 5] = np.clip(level, -255, 510)
    assert np.isfinite(rheo.flow(previous, wrong)).all()


def test_floats_of_0_to_1_are_warned_of(pair):
    previous, current = (image.astype(np.float32) / 255 for image in pair)
    for call in (rheo.flow, rheo.register, rheo.Sequence().append, rheo.opencv.DISOpticalFlow_create().calc):
        arguments = (previous,) if call.__name__ == "append" else (previous, current)
        if call.__name__ == "calc":
            arguments += (None,)
        with pytest.warns(
            UserWarning, match="floats from 0 to 1: grey levels of 0 to 255 are expected; pass 255"
        ) as told:
            call(*arguments)
        assert len(told) == len(arguments[:2]) and {warning.filename for warning in told} == {__file__}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.abs(center(rheo.flow(255 * previous, 255 * current)) - (3, -2)).max() < 0.1
        rheo.flow(np.zeros((8, 9), np.float32), np.ones((8, 9), np.float32))
        rheo.flow(np.minimum(previous * 300, 255), current * 255)


def test_a_line_warns_once():
    frames = [texture(40, 50, seed=seed).astype(np.float32) / 256 for seed in range(3)]
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("default")
        sequence = rheo.Sequence()
        for frame in frames:
            sequence.append(frame)
    assert len(told) == 1


def test_a_sequence_refuses_another_size_and_goes_on():
    sequence = rheo.Sequence()
    sequence.append(texture(60, 80))
    with pytest.raises(ValueError, match="reset"):
        sequence.append(texture(50, 80))
    assert sequence.append(texture(60, 80)) is not None


@pytest.mark.parametrize("shape", [(1, 1), (1, 50), (50, 1), (3, 3), (7, 4000)])
def test_small_images(shape):
    image = np.random.default_rng(0).integers(0, 256, shape, np.uint8)
    assert rheo.flow(image, image).shape == (*shape, 2)


def test_threads_of_python_work_at_the_same_time(pair):
    expected = rheo.flow(*pair)
    results: list[bool] = []

    def work() -> None:
        results.extend(np.array_equal(rheo.flow(*pair, threads=1), expected) for _ in range(8))

    workers = [threading.Thread(target=work) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert len(results) == 32 and all(results)


def test_the_interpreter_is_free_while_flow_is_computed():
    large = texture(720, 1280)
    ticks = 0
    done = threading.Event()

    def estimate() -> None:
        rheo.flow(large, large, accuracy="very-high", threads=1)
        done.set()

    worker = threading.Thread(target=estimate)
    worker.start()
    while not done.wait(0.001):
        ticks += 1
    worker.join()
    # With the lock held the loop would not turn once in the hundreds of milliseconds that this takes.
    assert ticks > 10
