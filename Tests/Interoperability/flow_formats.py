"""Flow files between rheo and independent readers and writers: NumPy, OpenCV, imageio, Pillow, h5py.

Called by `make interop`. Each case writes with one side and reads with the other; the numbers have to be the same, bit
for bit where the format keeps them, within its step where it does not.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

import cv2
import h5py
import imageio.v3 as imageio
import numpy as np
from PIL import Image

cases = []


def case(function):
    cases.append(function)
    return function


class Files:
    """A folder, the rheo program, and one field with unknown vectors in it."""

    def __init__(self, folder, rheo, data):
        self.folder, self.rheo, self.data = pathlib.Path(folder), rheo, data
        random = np.random.default_rng(7)
        self.flow = random.normal(0, 9, (61, 83, 2)).astype(np.float32)
        self.flow[10:20, 30:33] = np.nan
        self.flow[0, 0] = [-0.0, 1e-20]
        np.save(self / "flow.npy", self.flow)

    def __truediv__(self, name):
        return str(self.folder / name)

    def convert(self, source, target, *options):
        """Runs rheo; returns what it says."""
        command = [self.rheo, "convert", source, target, "--overwrite", *options]
        result = subprocess.run(command, capture_output=True, text=True)
        assert result.returncode == 0, f"{' '.join(command)}: {result.stderr}"
        return result.stderr

    def written(self, name, *options):
        """The field in a file that rheo wrote."""
        self.convert(self / "flow.npy", self / name, *options)
        return self / name

    def read(self, name, *options):
        """What rheo reads from a file."""
        self.convert(self / name, self / "read.npy", *options)
        return np.load(self / "read.npy")


def same(a, b):
    assert a.shape == b.shape, (a.shape, b.shape)
    assert np.array_equal(a, b, equal_nan=True), f"differ by up to {np.nanmax(np.abs(a - b))}"


def known(flow):
    return ~np.isnan(flow).any(axis=2)


@case
def flo_to_opencv(files):
    expected = np.where(np.isnan(files.flow), np.float32(1e10), files.flow)
    same(cv2.readOpticalFlow(files.written("a.flo")), expected)


@case
def flo_from_opencv(files):
    cv2.writeOpticalFlow(files / "b.flo", np.where(np.isnan(files.flow), np.float32(1e10), files.flow))
    same(files.read("b.flo"), files.flow)


@case
def kitti_to_opencv(files):
    bgr = cv2.imread(files.written("a.png"), cv2.IMREAD_UNCHANGED)
    assert bgr.dtype == np.uint16 and bgr.shape == (61, 83, 3)
    valid = known(files.flow)
    same(bgr[..., 0] != 0, valid)
    u, v = (bgr[..., channel].astype(np.float64) / 64 - 512 for channel in (2, 1))
    error = np.abs(np.stack([u, v], axis=2) - files.flow)[valid]
    assert error.max() <= 0.5 / 64, error.max()
    assert (bgr[~valid] == [0, 32768, 32768]).all()


@case
def kitti_to_imageio(files):
    rgb = imageio.imread(files.written("a.png"), plugin="opencv", flags=cv2.IMREAD_UNCHANGED)
    same(rgb[..., 2] != 0, known(files.flow))
    rounded = np.rint(files.flow[known(files.flow)].astype(np.float64) * 64) + 32768
    same(rgb[..., :2][known(files.flow)].astype(np.float64), rounded)


@case
def kitti_to_pillow(files):
    with Image.open(files.written("a.png")) as picture:
        picture.load()  # 16-bit colour becomes 8-bit, but the chunks, check sums and sizes are judged
        assert picture.format == "PNG" and picture.size == (83, 61)


@case
def kitti_from_opencv(files):
    valid = known(files.flow)
    bgr = np.zeros((61, 83, 3), np.uint16)
    bgr[valid] = np.rint(files.flow[valid] * 64 + 32768)[:, [0, 1, 1]].astype(np.uint16)
    bgr[..., 2], bgr[..., 0] = bgr[..., 0].copy(), valid
    cv2.imwrite(files / "b.png", bgr)
    expected = np.where(valid[..., None], (bgr[..., [2, 1]].astype(np.float32) - 32768) / 64, np.float32(np.nan))
    same(files.read("b.png"), expected)


@case
def kitti_clamps_and_counts(files):
    flow = np.zeros((4, 5, 2), np.float32)
    flow[0, 0], flow[1, 1], flow[2, 2] = [600, 0], [0, -513], [511.98, -512]
    np.save(files / "far.npy", flow)
    assert "2 vectors" in files.convert(files / "far.npy", files / "far.png")
    bgr = cv2.imread(files / "far.png", cv2.IMREAD_UNCHANGED)
    assert bgr[0, 0, 2] == 65535 and bgr[1, 1, 1] == 0


@case
def pfm_to_opencv(files):
    bgr = cv2.imread(files.written("a.pfm"), cv2.IMREAD_UNCHANGED)
    same(bgr[..., [2, 1]], files.flow)
    same(bgr[..., 0] == 1, known(files.flow))


@case
def pfm_from_opencv(files):
    bgr = np.zeros((61, 83, 3), np.float32)
    bgr[..., 2], bgr[..., 1] = files.flow[..., 0], files.flow[..., 1]
    cv2.imwrite(files / "b.pfm", bgr)
    same(files.read("b.pfm"), files.flow)


@case
def pfm_big_endian(files):
    rows = np.concatenate([files.flow, np.zeros((61, 83, 1), np.float32)], axis=2)[::-1]
    pathlib.Path(files / "c.pfm").write_bytes(b"PF\n83 61\n1.0\n" + rows.astype(">f4").tobytes())
    same(files.read("c.pfm"), files.flow)


@case
def npy_to_numpy(files):
    same(np.load(files.written("a.npy")), files.flow)
    half = np.load(files.written("h.npy", "--half"))
    assert half.dtype == np.float16
    same(half, files.flow.astype(np.float16))


@case
def npy_from_numpy(files):
    for kind in ["<f2", ">f2", "<f4", ">f4", "<f8", ">f8"]:
        for order in "CF":
            np.save(files / "b.npy", np.asarray(files.flow.astype(kind), order=order))
            same(files.read("b.npy"), files.flow.astype(kind).astype(np.float32))


@case
def npy_versions(files):
    for version in [(1, 0), (2, 0), (3, 0)]:
        with open(files / "b.npy", "wb") as file:
            np.lib.format.write_array(file, files.flow, version=version)
        same(files.read("b.npy"), files.flow)


@case
def npy_stack_from_numpy(files):
    stack = np.stack([files.flow, 2 * files.flow, -files.flow])
    for order in "CF":
        np.save(files / "stack.npy", np.asarray(stack, order=order))
        for field in range(3):
            same(files.read("stack.npy", "--field", str(field)), stack[field])
    files.convert(files / "stack.npy", files / "field_%03d.flo")
    same(cv2.readOpticalFlow(files / "field_002.flo"), np.where(np.isnan(stack[2]), np.float32(1e10), stack[2]))


@case
def npy_stack_to_numpy(files):
    for number in range(1, 6):
        np.save(files / f"s_{number}.npy", number * files.flow)
    for options, kind in [([], np.float32), (["--half"], np.float16)]:
        files.convert(files / "s_%d.npy", files / "s.npy", *options)
        stack = np.load(files / "s.npy", mmap_mode="r")
        assert isinstance(stack, np.memmap) and stack.shape == (5, 61, 83, 2) and stack.dtype == kind
        same(np.asarray(stack[3]), (4 * files.flow).astype(kind))


@case
def flo5_to_h5py(files):
    with h5py.File(files.written("a.flo5")) as file:
        dataset = file["flow"]
        assert (dataset.compression, dataset.compression_opts, dataset.dtype) == ("gzip", 5, np.float32)
        same(dataset[()], files.flow)


@case
def flo5_from_h5py(files):
    ways = [dict(compression="gzip", compression_opts=5), dict(compression="gzip", shuffle=True), {},
            dict(chunks=(7, 11, 1)), dict(chunks=(64, 64, 2), maxshape=(None, None, 2), compression="gzip")]
    for way in ways:
        for kind in ["<f2", "<f4", ">f4", "<f8"]:
            with h5py.File(files / "b.flo5", "w") as file:
                for number in range(40):
                    file.create_dataset(f"other{number}", data=[number])
                file.create_dataset("flow", data=files.flow.astype(kind), **way)
                file["flow"].attrs["unit"] = "pixel"
            same(files.read("b.flo5"), files.flow.astype(kind).astype(np.float32))


@case
def flo5_is_the_same_every_time(files):
    first = pathlib.Path(files.written("a.flo5")).read_bytes()
    assert first == pathlib.Path(files.written("c.flo5")).read_bytes()


@case
def pictures_to_opencv(files):
    files.written("flow_7.json", "--bound", "12")
    bound = json.loads(pathlib.Path(files / "flow_7.json").read_text())["bound"]
    assert bound == 12
    for index, name in enumerate(["flow_x_7.png", "flow_y_7.png"]):
        levels = cv2.imread(files / name, cv2.IMREAD_UNCHANGED)
        assert levels.dtype == np.uint8 and levels.ndim == 2
        clipped = np.clip(np.nan_to_num(files.flow[..., index]), -bound, bound)
        # Unknown vectors are written as zero motion.
        clipped[~known(files.flow)] = 0
        assert np.abs(levels * (2 * bound / 255) - bound - clipped).max() <= bound / 255 + 1e-5
        with Image.open(files / name) as picture:
            assert picture.mode == "L" and (np.asarray(picture) == levels).all()


@case
def pictures_from_pillow(files):
    levels = np.random.default_rng(1).integers(0, 256, (2, 61, 83), np.uint8)
    for name, plane in zip(["flow_x_8.png", "flow_y_8.png"], levels):
        Image.fromarray(plane).save(files / name)
    read = files.read("flow_x_8.png", "--from", "pictures", "--bound", "20")
    assert np.abs(read - (np.moveaxis(levels, 0, 2) * (40 / 255) - 20)).max() < 1e-5


@case
def published_files_survive(files):
    if files.data is None:
        print("SKIPPED: published files: no --data")
        return
    middlebury = files.data / "flow/middlebury/RubberWhale/flow10.flo"
    files.convert(str(middlebury), files / "m.npy")
    published = cv2.readOpticalFlow(str(middlebury))
    same(np.load(files / "m.npy"), np.where(np.abs(published) > 1e9, np.float32(np.nan), published))
    kitti = files.data / "flow/kitti/kitti_occ_000010_10.png"
    files.convert(str(kitti), files / "k.png")
    published = cv2.imread(str(kitti), cv2.IMREAD_UNCHANGED)
    assert (cv2.imread(files / "k.png", cv2.IMREAD_UNCHANGED) == published).all()
    files.convert(str(kitti), files / "k.npy")
    expected = (published[..., [2, 1]].astype(np.float32) - 32768) / 64
    same(np.load(files / "k.npy"), np.where(published[..., :1] != 0, expected, np.float32(np.nan)))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rheo", required=True)
    parser.add_argument("--data", type=pathlib.Path, help="the folder of published files")
    options = parser.parse_args()
    data = options.data if options.data and options.data.is_dir() else None
    failed = 0
    for function in cases:
        with tempfile.TemporaryDirectory() as folder:
            try:
                function(Files(folder, options.rheo, data))
                print(f"ok      {function.__name__}")
            except Exception as error:  # every case is judged
                failed += 1
                print(f"FAILED  {function.__name__}: {type(error).__name__}: {error}")
    versions = [f"{module.__name__} {module.__version__}" for module in (np, cv2, h5py)]
    print(f"against {', '.join(versions)}")
    print(f"{len(cases) - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
