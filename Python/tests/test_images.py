"""Registration, warping and drawing."""

from __future__ import annotations

import ctypes
from typing import get_args

import cv2
import numpy as np
import pytest
from conftest import shifted, texture

import rheo
from rheo import _detection, _flow, _library, _rendering, _stabilization, _tracking


def test_registers_a_shift():
    image = texture(240, 320)
    found = rheo.register(image, shifted(image, 5, -3), "translation")
    assert found.model == "translation" and found.reason is None and found.confidence > 0.9
    # The floating image's content lies 5 to the right: its pixels go 5 to the left.
    assert np.abs(found.transform - [[1, 0, -5], [0, 1, 3], [0, 0, 1]]).max() < 0.05


def test_names_what_moved_apart():
    ground, thing = texture(), texture(seed=9)
    first, second = ground.copy(), shifted(ground, 2, 0)
    width = ground.shape[1] // 3
    first[:, :width] = thing[:, :width]
    second[:, :width] = shifted(thing, -6, 4)[:, :width]
    found = rheo.register(first, second, "translation")
    assert len(found.alternatives) == 1
    other = found.alternatives[0]
    np.testing.assert_allclose(other.transform[:2, 2] - found.transform[:2, 2], [8, -4], atol=0.2)
    assert 0.2 < other.share < 0.4


def test_registers_a_turn_as_opencv_warps_it():
    image = texture(240, 320)
    matrix = np.vstack([cv2.getRotationMatrix2D((160, 120), 4, 1), [0, 0, 1]])
    floating = cv2.warpPerspective(image, matrix, (320, 240), flags=cv2.INTER_CUBIC)
    found = rheo.register(image, floating, "euclidean")
    corners = np.array([[0, 0, 1], [319, 0, 1], [0, 239, 1], [319, 239, 1]]).T
    back = found.transform @ (matrix @ corners)
    assert np.abs(back[:2] / back[2] - corners[:2]).max() < 0.3
    steady = rheo.warp(floating, np.linalg.inv(found.transform))
    assert np.abs(steady[40:-40, 40:-40].astype(int) - image[40:-40, 40:-40]).mean() < 2


def test_images_without_anything_in_common():
    found = rheo.register(texture(100, 100), np.zeros((100, 100), np.uint8))
    assert found.model == "identity" and found.reason and found.confidence == 0


@pytest.mark.parametrize("options", [{"model": "spline"}, {"method": "guess"}, {"threads": 5000}])
def test_wrong_options_of_a_registration(options):
    with pytest.raises(ValueError, match=str(next(iter(options.values())))):
        rheo.register(texture(), texture(), **options)


def test_warp_keeps_layouts():
    gray = texture(60, 80)
    shift = [[1, 0, 2], [0, 1, 0], [0, 0, 1]]
    moved = rheo.warp(gray, shift)
    assert np.array_equal(moved[:, :70], gray[:, 2:72]) and (moved[:, 78:] == 0).all()
    assert np.array_equal(rheo.warp(gray, shift, border="replicate")[:, -1], gray[:, -1])
    color = np.dstack([gray, gray[::-1], gray[:, ::-1]])
    turned = rheo.warp(color, shift)
    assert all(np.array_equal(turned[:, :, c], rheo.warp(color[:, :, c], shift)) for c in range(3))
    deep = gray.astype(np.uint16) * 257
    assert np.array_equal(rheo.warp(deep, shift)[:, :70], deep[:, 2:72])
    assert rheo.warp(gray[:, :, None], shift).shape == (60, 80, 1)
    for wrong, words in (
        ([[1, 0], [0, 1]], r"transform has shape \(2, 2\): it is \(3, 3\)"),
        (np.full((3, 3), np.nan), "transform .*nan.*: its numbers are finite"),
        (np.zeros((3, 3)), "transform .*: it has no inverse"),
        ([[1, 2, 3], [2, 4, 6], [0, 0, 1]], "transform .*: it has no inverse"),
        ([[0.1, 0.2, 0.3], [0.3, 0.6, 0.9], [0, 0, 1]], "transform .*: it has no inverse"),
        ("turn", "transform 'turn'"),
    ):
        with pytest.raises(ValueError, match=words):
            rheo.warp(gray, wrong)
    for unusual in (np.diag([1e-9, 1e-9, 1]), [[1, 0, 1e6], [0, 1, -1e6], [0, 0, 1]]):
        assert rheo.warp(gray, unusual).shape == gray.shape
    with pytest.raises(ValueError, match="float32"):
        rheo.warp(gray.astype(np.float32), shift)


@pytest.fixture
def field() -> np.ndarray:
    y, x = np.mgrid[0:72, 0:96].astype(np.float32)
    return np.dstack([(x - 48) / 8, (y - 36) / 8])


STYLES = [
    "overlay", "flowview", "wheel", "arrows", "magnitude", "confidence", "occlusion", "contours", "side-by-side",
]  # fmt: skip


@pytest.mark.parametrize("style", STYLES)
def test_styles_are_those_of_the_program(tmp_path, program, field, style):
    background = np.dstack([texture(72, 96, seed=seed) for seed in (1, 2, 3)])
    confidence = np.linspace(0, 1, field[:, :, 0].size, dtype=np.float32).reshape(field.shape[:2])
    rheo.write_flow(tmp_path / "a.flo", field)
    cv2.imwrite(str(tmp_path / "b.png"), background[:, :, ::-1])
    np.save(tmp_path / "c.npy", confidence)
    program(
        "render", tmp_path / "a.flo", "--style", style, "--background", tmp_path / "b.png",
        "--confidence", tmp_path / "c.npy", "--output", tmp_path / "d.png",
    )  # fmt: skip
    drawing = rheo.render(field, style, background=background, confidence=confidence)
    assert np.array_equal(drawing, cv2.imread(str(tmp_path / "d.png"))[:, :, ::-1])


def test_drawings(field):
    wheel = rheo.render(field)
    assert wheel.shape == (72, 96, 3) and wheel.dtype == np.uint8 and len(np.unique(wheel)) > 50
    assert rheo.render(field, "side-by-side").shape == (72, 192, 3)
    assert np.array_equal(rheo.render(field, channels="bgr"), wheel[:, :, ::-1])
    still = rheo.render(np.zeros_like(field), "wheel", max_length=5)
    assert len(np.unique(still.reshape(-1, 3), axis=0)) == 1
    gray = texture(72, 96)
    assert np.array_equal(
        rheo.render(field, "arrows", background=gray),
        rheo.render(field, "arrows", background=np.dstack([gray] * 3)),
    )
    background = np.dstack([texture(72, 96, seed=seed) for seed in (1, 2, 3)])
    assert np.array_equal(
        rheo.render(field, "arrows", background=background[:, :, ::-1], channels="bgr")[:, :, ::-1],
        rheo.render(field, "arrows", background=background),
    )


def test_a_legend_or_a_clear_reason(field):
    large = np.zeros((400, 600, 2), np.float32)
    try:
        drawn = rheo.render(large, "wheel", legend=True)
    except rheo.UnsupportedError as error:
        assert "font" in str(error)
    else:
        assert not np.array_equal(drawn, rheo.render(large, "wheel"))


def test_a_renderer_follows_its_stream(field):
    renderer = rheo.Renderer((72, 96), "magnitude")
    first = renderer.draw(field)
    second = renderer.draw(0.1 * field)
    assert not np.array_equal(second, rheo.Renderer((72, 96), "magnitude").draw(0.1 * field))
    assert first.shape == second.shape


def test_wrong_drawings(field):
    for options, words in (
        ({"style": "oil"}, "style 'oil': it is overlay"),
        ({"style": "confidence"}, "confidence"),
        ({"style": 3}, "style 3: it is overlay"),
        ({"opacity": 2.0}, "opacity 2.0 is not within"),
        ({"cell": 1}, "cell 1: it is 4 to 512"),
        ({"cell": 1.5}, "cell 1.5: it is a whole number"),
        ({"tip_angle": "x"}, "tip_angle 'x'"),
        ({"legend": "yes"}, "legend 'yes': it is True or False"),
        ({"background": np.zeros((3, 3), np.uint8)}, "background"),
        ({"background": np.zeros((72, 96), np.float32)}, "background has dtype float32"),
        ({"confidence": np.zeros((3, 3), np.float32)}, "confidence has shape"),
        ({"max_length": "long"}, "max_length 'long': it is a finite number or 'auto'"),
    ):
        with pytest.raises(ValueError, match=words):
            rheo.render(field, **{"style": "wheel", **options})
    for size, words in ((3, "size 3: it is"), ((3.5, 4), r"size\[0\] 3.5"), ((3, 0), r"size\[1\] 0: it is 1 or more")):
        with pytest.raises(ValueError, match=words):
            rheo.Renderer(size)
    with pytest.raises(ValueError, match="renderer draws fields of"):
        rheo.Renderer((10, 10)).draw(field)


@pytest.mark.parametrize(
    ("names", "create", "arguments", "option"),
    [
        (_rendering.Style, "rheo_renderer_create", (8, 8), "style"),
        (_rendering.Normalization, "rheo_renderer_create", (8, 8), "normalize"),
        (_rendering.Palette, "rheo_renderer_create", (8, 8), "palette"),
        (_flow.Algorithm, "rheo_flow_create", (), "algorithm"),
        (_flow.Accuracy, "rheo_flow_create", (), "accuracy"),
        (_flow.Direction, "rheo_flow_create", (), "direction"),
        (_detection.Compensation, "rheo_detector_create", (8, 8), "compensate"),
        (_tracking.Level, "rheo_tracker_create", (8, 8), "level"),
        (_stabilization.Family, "rheo_stabilizer_create", (8, 8), "model"),
    ],
)
def test_names_are_those_of_the_library(names, create, arguments, option):
    with pytest.raises(ValueError, match=option) as told:
        _library.call(getattr(_library.library, create), *arguments, _library.encoded({option: "?"}), ctypes.c_void_p())
    listed = str(told.value).rpartition(": it is ")[2].removeprefix("one of ").split(", ")
    # A choice that the library has and Python does not offer would be refused in Python alone.
    assert set(listed) == set(get_args(names))
