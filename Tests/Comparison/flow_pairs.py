"""Pairs of pictures with known flow: where the test data has them, how they are read, and which half they belong to."""

import pathlib
from dataclasses import dataclass

import cv2
import numpy as np

MIDDLEBURY = ["Dimetrodon", "Grove2", "Grove3", "Hydrangea", "RubberWhale", "Urban2", "Urban3", "Venus"]
LARGE = ["ambush_4", "cave_4", "kitti_000074", "kitti_000110", "kitti_000151", "stereo_aloe", "tartanair", "temple_3",
         "ucl_crates", "ucl_grasssky"]


def read_flo(path):
    """The field of a .flo file; unknown vectors are NaN."""
    data = np.fromfile(path, np.float32)
    width, height = data[1:3].view(np.int32)
    flow = data[3:].reshape(height, width, 2).copy()
    flow[np.abs(flow).max(-1) > 1e9] = np.nan
    return flow


def read_kitti(path):
    """The field of a 16-bit PNG; unknown vectors are NaN."""
    raw = cv2.imread(str(path), cv2.IMREAD_UNCHANGED)[..., ::-1].astype(np.float32)
    flow = (raw[..., :2] - 32768) / 64
    flow[raw[..., 2] == 0] = np.nan
    return flow


def luma(path):
    """The same grey levels as Rheo's: OpenCV's own reader rounds half of them down by one."""
    r, g, b = (c.astype(np.float32) for c in cv2.split(cv2.imread(str(path))[..., ::-1]))
    return np.floor(0.299 * r + 0.587 * g + 0.114 * b + np.float32(0.5)).astype(np.uint8)


@dataclass(frozen=True)
class FlowPair:
    """Two pictures and their true flow, as files."""

    name: str
    previous: pathlib.Path
    current: pathlib.Path
    true_flow: pathlib.Path

    @property
    def files(self):
        return self.previous, self.current, self.true_flow

    @property
    def has_dense_truth(self):
        """KITTI's is that of a laser scanner: every fourth pixel, and none where the sky begins."""
        return self.true_flow.suffix == ".flo"

    def luma(self):
        return luma(self.previous), luma(self.current)

    def truth(self):
        """The true field: NaN where it is unknown, or marked as invalid by a picture beside it."""
        flow = read_flo(self.true_flow) if self.has_dense_truth else read_kitti(self.true_flow)
        invalid = self.true_flow.with_name("invalid.png")
        if invalid.exists():
            flow[cv2.imread(str(invalid), cv2.IMREAD_GRAYSCALE) > 127] = np.nan
        return flow


def middlebury(data):
    folder = data / "flow" / "middlebury"
    return [FlowPair(name, folder / name / "frame10.png", folder / name / "frame11.png", folder / name / "flow10.flo")
            for name in MIDDLEBURY]


def others(data):
    """Ordinary pairs of other sets."""
    sintel, chairs, kitti = (data / "flow" / name for name in ("sintel/alley_1", "chairs", "kitti"))
    return [
        FlowPair("alley_1", sintel / "frame_0002.png", sintel / "frame_0003.png", sintel / "flow_0002.flo"),
        *(FlowPair(f"chairs_{number}", chairs / f"{number}_img1.png", chairs / f"{number}_img2.png",
                   chairs / f"{number}_flow.flo") for number in ("00000", "00004")),
        FlowPair("kitti_000010", kitti / "kitti_000010_10.png", kitti / "kitti_000010_11.png",
                 kitti / "kitti_occ_000010_10.png"),
    ]


def large(data):
    """Fast motion: driving, films, drones, wide stereo."""
    folder = data / "flow" / "large"
    return [FlowPair(name, folder / name / "frame1.png", folder / name / "frame2.png",
                     folder / name / ("flow.png" if name.startswith("kitti") else "flow.flo")) for name in LARGE]


def halves(items):
    """All items, those that parameters were chosen on, and those that judge: see Tests/Benchmarks/ImagePairs.swift."""
    items = list(items)
    return {"all": items, "chosen on": items[::2], "judged by": items[1::2]}


def is_absent(title, paths):
    """Whether a file is missing; says so in one line."""
    absent = [path for path in paths if not path.exists()]
    if absent:
        print(f"\nSKIPPED: {title}: no {absent[0]}", flush=True)
    return bool(absent)
