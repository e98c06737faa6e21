#!/usr/bin/env python3
"""Stabilisation by rheo and by ffmpeg's vidstabdetect and vidstabtransform (libvidstab) on the same clips.

Synthetic clips: frames of a fixed camera, seen through a shake of known path. Real clips: as they are. For each output:

- motion: how far the picture's corners move from frame to frame, root mean square in pixels (OpenCV: corners, pyramidal
  Lucas-Kanade, RANSAC similarity), and what is left of the input's;
- jitter: the same for the change of that motion, which a pan leaves at zero;
- PSNR: mean over the pairs of neighbouring frames, on the middle 70 % of width and height (luma).

