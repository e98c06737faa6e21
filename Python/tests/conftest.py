"""Scenes with known motion, and the program to compare with."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

ROOT = Path(os.environ.get("RHEO_ROOT", Path(__file__).resolve().parents[2]))


def texture(height: int = 120, width: int = 160, seed: int = 1, sigma: float = 2.5) -> np.ndarray:
    """Smooth noise with all grey levels."""
    noise = np.random.default_rng(seed).random((height, width)).astype(np.float32)
    smooth = cv2.GaussianBlur(noise, (0, 0), sigma)
    return cv2.normalize(smooth, None, 0, 255, cv2.NORM_MINMAX).astype(np.uint8)


def shifted(image: np.ndarray, dx: float, dy: float) -> np.ndarray:
    """The image with its content moved, by cubic interpolation."""
    matrix = np.float32([[1, 0, dx], [0, 1, dy]])
    size = (image.shape[1], image.shape[0])
    return cv2.warpAffine(image, matrix, size, flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REFLECT)


@pytest.fixture
def pair() -> tuple[np.ndarray, np.ndarray]:
    """Two images whose content moves by (3, -2) pixels."""
    previous = texture(160, 200)
    return previous, shifted(previous, 3, -2)


@pytest.fixture(scope="session")
def clip() -> Path:
    """The sample clip of the project."""
    return ROOT / "Samples" / "clip.mp4"


@pytest.fixture(scope="session")
def program() -> Any:
    """Runs the program ``rheo``, whose path is in RHEO_PROGRAM."""
    path = os.environ.get("RHEO_PROGRAM")
    if not path:
        pytest.skip("RHEO_PROGRAM names no rheo program to compare with")

    def run(*arguments: Any) -> bytes:
        return subprocess.run([path, *map(str, arguments)], check=True, capture_output=True).stdout

    return run
