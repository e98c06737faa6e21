"""What a user of OpenCV would write to annotate a video: capture, flow, colour and arrows, a pipe to ffmpeg.

Prints frames per second. `compare_pipeline.py` runs it beside `rheo annotate`.
"""

import subprocess
import sys
import time

import cv2
import numpy as np


def engine(name):
    if name == "farneback":
        return lambda a, b: cv2.calcOpticalFlowFarneback(a, b, None, 0.5, 3, 15, 3, 5, 1.2, 0)
    preset = {"dis-ultrafast": cv2.DISOPTICAL_FLOW_PRESET_ULTRAFAST, "dis-medium": cv2.DISOPTICAL_FLOW_PRESET_MEDIUM}
    dis = cv2.DISOpticalFlow_create(preset[name])
    return lambda a, b: dis.calc(a, b, None)


def draw(frame, flow, cell=16):
    magnitude, angle = cv2.cartToPolar(flow[..., 0], flow[..., 1], angleInDegrees=True)
    hsv = np.empty(frame.shape, np.uint8)
    hsv[..., 0] = angle / 2
    hsv[..., 1] = 255
    hsv[..., 2] = np.minimum(magnitude * 16, 255)
    drawn = cv2.addWeighted(frame, 0.6, cv2.cvtColor(hsv, cv2.COLOR_HSV2BGR), 0.6, 0)
    for y in range(cell // 2, frame.shape[0], cell):
        for x in range(cell // 2, frame.shape[1], cell):
            u, v = flow[y, x]
            if abs(u) + abs(v) > 1:
                cv2.arrowedLine(drawn, (x, y), (int(x + u), int(y + v)), (255, 255, 255), 1)
    return drawn


def main():
    source, output, method = sys.argv[1:4]
    cv2.setNumThreads(2)
    capture = cv2.VideoCapture(source)
    width, height = int(capture.get(3)), int(capture.get(4))
    rate = capture.get(cv2.CAP_PROP_FPS)
    pipe = subprocess.Popen(
        ["ffmpeg", "-v", "error", "-y", "-f", "rawvideo", "-pix_fmt", "bgr24", "-s", f"{width}x{height}", "-r", str(rate),
         "-i", "-", "-c:v", "libx264", "-preset", "veryfast", "-crf", "23", "-pix_fmt", "yuv420p", output],
        stdin=subprocess.PIPE)
    flow_of = engine(method)
    start = time.perf_counter()
    frames, previous = 0, None
    while True:
        ok, frame = capture.read()
        if not ok:
            break
        grey = cv2.cvtColor(frame, cv2.COLOR_BGR2GRAY)
        if previous is not None:
            pipe.stdin.write(draw(frame, flow_of(previous, grey)).tobytes())
        previous = grey
        frames += 1
    pipe.stdin.close()
    pipe.wait()
    print(f"{frames / (time.perf_counter() - start):.2f}")


if __name__ == "__main__":
    main()
