"""OpenCV's documented examples, run with its own functions and with Rheo's."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from conftest import shifted, texture

import rheo
import rheo.opencv

MODULES = [cv2, rheo.opencv]


def test_dense_flow_of_the_tutorial(pair):
    """As in "Optical Flow" of OpenCV's tutorials: Farnebäck's method with these parameters."""
    fields = [m.calcOpticalFlowFarneback(*pair, None, 0.5, 3, 15, 3, 5, 1.2, 0) for m in MODULES]
    difference = np.linalg.norm(fields[0] - fields[1], axis=2)
    assert difference.mean() < 1e-3 and fields[1].dtype == np.float32 and fields[1].shape == fields[0].shape
    magnitude, angle = cv2.cartToPolar(fields[1][..., 0], fields[1][..., 1])
    assert magnitude.shape == angle.shape == pair[0].shape


def test_gaussian_windows(pair):
    arguments = (None, 0.5, 3, 15, 3, 5, 1.2)
    fields = [m.calcOpticalFlowFarneback(*pair, *arguments, m.OPTFLOW_FARNEBACK_GAUSSIAN) for m in MODULES]
    assert np.linalg.norm(fields[0] - fields[1], axis=2).mean() < 1e-3


def test_farneback_as_an_object(pair):
    fields = [m.FarnebackOpticalFlow_create(3, 0.5, False, 15, 3, 5, 1.2, 0).calc(*pair, None) for m in MODULES]
    assert np.linalg.norm(fields[0] - fields[1], axis=2).mean() < 1e-3
    assert isinstance(rheo.opencv.FarnebackOpticalFlow_create(), rheo.opencv.DenseOpticalFlow)


def test_the_flow_argument_receives_the_field(pair):
    target = np.zeros((160, 200, 2), np.float32)
    found = rheo.opencv.calcOpticalFlowFarneback(*pair, target, 0.5, 3, 15, 3, 5, 1.2, 0)
    assert found is target and target.any()


@pytest.mark.parametrize("preset", ["ULTRAFAST", "FAST", "MEDIUM"])
def test_inverse_search(pair, preset):
    """As in OpenCV's sample dis_opt_flow.py."""
    errors = []
    for module in MODULES:
        method = module.DISOpticalFlow_create(getattr(module, f"DISOPTICAL_FLOW_PRESET_{preset}"))
        flow = method.calc(*pair, None)
        errors.append(np.linalg.norm(flow - (3, -2), axis=2)[20:-20, 20:-20].mean())
        method.collectGarbage()
    assert errors[1] < 0.25 and errors[1] < errors[0] + 0.05


@pytest.mark.parametrize("motion", ["TRANSLATION", "EUCLIDEAN", "AFFINE", "HOMOGRAPHY"])
def test_alignment_of_the_sample(motion):
    """As in OpenCV's sample image_alignment: the warp leads back to the template."""
    template = texture(200, 240, seed=12)
    image = shifted(template, 2.5, -1.5)
    results = []
    for module in MODULES:
        kind = getattr(module, f"MOTION_{motion}")
        warp = np.eye(3 if motion == "HOMOGRAPHY" else 2, 3, dtype=np.float32)
        criteria = (cv2.TERM_CRITERIA_EPS | cv2.TERM_CRITERIA_COUNT, 100, 1e-6)
        correlation, found = module.findTransformECC(template, image, warp, kind, criteria, None, 5)
        assert found.dtype == np.float32 and found.shape == warp.shape
        results.append((correlation, np.vstack([found, [0, 0, 1]])[:3]))
    corners = np.array([[20, 20, 1], [220, 20, 1], [20, 180, 1], [220, 180, 1]]).T
    points = [(matrix @ corners)[:2] / (matrix @ corners)[2] for _, matrix in results]
    assert np.abs(points[0] - points[1]).max() < 0.2
    assert np.abs(points[1] - (corners[:2] + [[2.5], [-1.5]])).max() < 0.1
    assert abs(results[0][0] - results[1][0]) < 0.01 and results[1][0] > 0.98


def test_what_opencv_refuses():
    image = texture(100, 120)
    with pytest.raises(rheo.opencv.error):
        rheo.opencv.findTransformECC(image, np.zeros_like(image), np.eye(2, 3, dtype=np.float32))
    with pytest.raises(ValueError, match="one channel"):
        rheo.opencv.calcOpticalFlowFarneback(np.dstack([image] * 3), image, None, 0.5, 3, 15, 3, 5, 1.2, 0)
    with pytest.raises(ValueError, match="flags 4: OPTFLOW_USE_INITIAL_FLOW is not supported"):
        rheo.opencv.calcOpticalFlowFarneback(image, image, None, 0.5, 3, 15, 3, 5, 1.2, 4)
    with pytest.raises(ValueError, match="preset 7"):
        rheo.opencv.DISOpticalFlow_create(7)
    for position, words in ((3, "pyr_scale 'x'"), (4, "levels 'x'"), (8, "poly_sigma 'x'"), (9, "flags 'x'")):
        arguments = [image, image, None, 0.5, 3, 15, 3, 5, 1.2, 0]
        arguments[position] = "x"
        with pytest.raises(ValueError, match=words):
            rheo.opencv.calcOpticalFlowFarneback(*arguments)
    with pytest.raises(ValueError, match="levels 3.7: it is a whole number"):
        rheo.opencv.calcOpticalFlowFarneback(image, image, None, 0.5, 3.7, 15, 3, 5, 1.2, 0)
    with pytest.raises(ValueError, match="inputMask: masks are not supported"):
        rheo.opencv.findTransformECC(image, image, None, inputMask=image)
    with pytest.raises(NotImplementedError):
        rheo.opencv.DenseOpticalFlow().calc(image, image, None)


def test_getters_and_setters_say_what_to_do():
    search, farneback = rheo.opencv.DISOpticalFlow_create(), rheo.opencv.FarnebackOpticalFlow_create()
    for method, name, words in (
        (search, "setFinestScale", r"DISOpticalFlow.setFinestScale is not supported: choose a preset, or .*parameters"),
        (search, "getUseSpatialPropagation", "not supported"),
        (farneback, "setNumLevels", "FarnebackOpticalFlow.setNumLevels .*FarnebackOpticalFlow_create"),
        (farneback, "levels", "'FarnebackOpticalFlow' object has no attribute 'levels'"),
    ):
        assert not hasattr(method, name)
        with pytest.raises(AttributeError, match=words):
            getattr(method, name)
