"""Flow files and figures of error."""

from __future__ import annotations

import json

import cv2
import numpy as np
import pytest

import rheo


@pytest.fixture
def field() -> np.ndarray:
    flow = np.random.default_rng(7).normal(0, 5, (13, 17, 2)).astype(np.float32)
    flow[3, 4] = np.nan
    return flow


@pytest.mark.parametrize(
    ("name", "tolerance"),
    [("a.flo", 0), ("a.pfm", 0), ("a.npy", 0), ("a.png", 1 / 128), ("flow.json", 20 / 255 + 1e-3)],
)
def test_round_trip(tmp_path, field, name, tolerance):
    report = rheo.write_flow(tmp_path / name, field, bound=20)
    again = rheo.read_flow(str(tmp_path / name))
    assert again.shape == field.shape and again.dtype == np.float32
    known = np.isfinite(field).all(axis=2)
    assert np.abs(again - field)[known].max() <= tolerance
    assert report.files[0].startswith(str(tmp_path))
    if name == "flow.json":
        assert report.lost == 1 and (again[3, 4] == 0).sum() + (np.abs(again[3, 4]) < 0.1).sum() > 0
    else:
        assert report.lost == 0 and np.isnan(again[3, 4]).all() and np.isnan(again).sum() == 2


def test_hdf5(tmp_path, field):
    pytest.importorskip("h5py")
    rheo.write_flow(tmp_path / "a.flo5", field)
    assert np.array_equal(rheo.read_flow(tmp_path / "a.flo5"), field, equal_nan=True)
    with pytest.raises(FileExistsError):
        rheo.write_flow(tmp_path / "a.flo5", field)


def test_files_of_others(tmp_path, field):
    known = np.nan_to_num(field)
    cv2.writeOpticalFlow(str(tmp_path / "cv.flo"), known)
    assert np.array_equal(rheo.read_flow(tmp_path / "cv.flo"), known)
    rheo.write_flow(tmp_path / "mine.flo", known)
    assert np.array_equal(cv2.readOpticalFlow(str(tmp_path / "mine.flo")), known)
    np.save(tmp_path / "several.npy", np.stack([known, 2 * known]))
    assert np.array_equal(rheo.read_flow(tmp_path / "several.npy", field=1), 2 * known)


def test_precision_and_what_does_not_fit(tmp_path, field):
    rheo.write_flow(tmp_path / "half.npy", field, half=True)
    assert np.load(tmp_path / "half.npy").dtype == np.float16
    assert rheo.write_flow(tmp_path / "a.png", np.full((2, 2, 2), 600, np.float32)).clamped == 4


def test_an_existing_file_stays(tmp_path, field):
    path = tmp_path / "a.flo"
    rheo.write_flow(path, field)
    before = path.read_bytes()
    with pytest.raises(FileExistsError, match="a.flo"):
        rheo.write_flow(path, 2 * field)
    assert path.read_bytes() == before
    rheo.write_flow(path, 2 * field, overwrite=True)
    assert path.read_bytes() != before
    assert [entry.name for entry in tmp_path.iterdir()] == ["a.flo"]


def test_files_that_cannot_be_read(tmp_path, field):
    with pytest.raises(OSError, match=r"none\.flo: cannot be read: No such file"):
        rheo.read_flow(tmp_path / "none.flo")
    (tmp_path / "bad.flo").write_bytes(b"PIEH" + bytes(5))
    with pytest.raises(OSError, match=r"bad\.flo"):
        rheo.read_flow(tmp_path / "bad.flo")
    with pytest.raises((ValueError, rheo.UnsupportedError), match=r"a\.txt"):
        rheo.read_flow(tmp_path / "a.txt")
    with pytest.raises(ValueError, match="format 'flow'"):
        rheo.read_flow(tmp_path / "a.flo", format="flow")
    with pytest.raises(OSError, match="nowhere"):
        rheo.write_flow(tmp_path / "nowhere" / "a.flo", field)
    with pytest.raises(ValueError, match="flow has shape"):
        rheo.write_flow(tmp_path / "a.flo", field[:, :, 0])
    with pytest.raises(ValueError, match="flow has dtype int64"):
        rheo.write_flow(tmp_path / "a.flo", np.zeros((3, 3, 2), np.int64))
    with pytest.raises(ValueError, match="it is empty"):
        rheo.write_flow(tmp_path / "a.flo", np.zeros((0, 3, 2), np.float32))
    with pytest.raises(ValueError, match="without NUL"):
        rheo.write_flow("a\0b.flo", field)


@pytest.mark.parametrize("name", ["a.flo", "a.pfm", "a.npy", "a.png", "a.flo5"])
def test_a_single_field_is_the_first(tmp_path, field, name):
    if name == "a.flo5":
        pytest.importorskip("h5py")
    path = tmp_path / name
    rheo.write_flow(path, field)
    assert rheo.read_flow(path, field=0).shape == field.shape
    with pytest.raises(ValueError, match=rf"{name}: there is no field 3; it holds 1"):
        rheo.read_flow(path, field=3)
    for wrong, words in (
        (-1, "field -1: it is 0 or more"),
        (1.5, "field 1.5: it is a whole number"),
        ("x", "field 'x'"),
    ):
        with pytest.raises(ValueError, match=words):
            rheo.read_flow(path, field=wrong)


def test_options_of_another_kind(tmp_path, field):
    for options, words in (
        ({"half": "yes"}, "half 'yes': it is True or False"),
        ({"bound": "far"}, "bound 'far': it is a finite number"),
        ({"overwrite": 1}, "overwrite 1: it is True or False"),
        ({"format": 3}, "format 3: it is flo, kitti"),
    ):
        with pytest.raises(ValueError, match=words):
            rheo.write_flow(tmp_path / "a.npy", field, **options)
    with pytest.raises(ValueError, match="path 3: it is"):
        rheo.read_flow(3)
    with pytest.raises(ValueError, match="flow is a masked array"):
        rheo.write_flow(tmp_path / "a.npy", np.ma.masked_invalid(field))


def test_names_that_are_not_ascii(tmp_path, field):
    path = tmp_path / "größe 流.flo"
    rheo.write_flow(path, field)
    assert np.array_equal(rheo.read_flow(path), field, equal_nan=True)


def test_figures_of_a_known_error():
    truth = np.zeros((10, 10, 2), np.float32)
    truth[0, 0] = np.nan
    estimate = truth + np.float32([3, 4])
    estimate[5, 5] = np.nan
    figures = rheo.evaluate(estimate, truth)
    assert figures["pixels"] == 99 and figures["epe"] == 5 and figures["flAll"] == 1
    assert figures["coverage"] == pytest.approx(98 / 99) and figures["s40+"] is None
    mask = np.zeros((10, 10), bool)
    mask[:, :3] = True
    assert rheo.evaluate(estimate, truth, mask)["pixels"] == 29
    with pytest.raises(ValueError, match="mask has shape"):
        rheo.evaluate(estimate, truth, mask[1:])
    with pytest.raises(ValueError, match="one size"):
        rheo.evaluate(estimate, truth[1:])


def test_files_and_figures_of_the_program(tmp_path, program, field):
    other = field + np.float32(0.25)
    for number, flow in enumerate((field, other)):
        rheo.write_flow(tmp_path / f"{number}.flo", flow)
    for name in ("a.png", "a.pfm", "a.npy"):
        program("convert", tmp_path / "0.flo", tmp_path / f"program-{name}")
        rheo.write_flow(tmp_path / name, field)
        assert (tmp_path / name).read_bytes() == (tmp_path / f"program-{name}").read_bytes()
    told = json.loads(program("evaluate", tmp_path / "1.flo", tmp_path / "0.flo", "--json"))["all"]
    assert told == rheo.evaluate(other, field)
