"""Boxes of persons for trackers that are given detections: those of a published detector, and the truth with errors."""

import cv2
import numpy as np

from track_truth import frames, overlap

# Errors of the drawn detections, as shares of a box or numbers per frame.
JITTER, MISSED, MISSED_WHEN_HIDDEN, FALSE_PER_FRAME = 0.05, 0.15, 0.8, 0.5
HIDDEN_OVERLAP = 0.3


def histogram_detections(video):
    """Persons by histograms of oriented gradients (Dalal & Triggs, 2005), as OpenCV has them: (box, confidence)."""
    detector = cv2.HOGDescriptor()
    detector.setSVMDetector(cv2.HOGDescriptor_getDefaultPeopleDetector())
    table = {}
    for number, frame in frames(video):
        scale = 1.5
        boxes, weights = detector.detectMultiScale(cv2.resize(frame, None, fx=scale, fy=scale), winStride=(8, 8), scale=1.05)
        # Its windows have a margin of an eighth of the height and a quarter of the width.
        table[number] = [((x + 0.125 * w) / scale, (y + 0.0625 * h) / scale, 0.75 * w / scale, 0.875 * h / scale)
                         + (float(min(max(weight, 0.01), 1)),) for (x, y, w, h), weight in zip(boxes, np.ravel(weights))]
    return table


def drawn_detections(truth, size, seed):
    """The truth with errors: boxes that tremble, are missed, most of all behind nearer ones, and false ones."""
    random = np.random.default_rng(seed)
    table = {}
    for number in range(1, max(truth) + 1):
        boxes = list(truth.get(number, {}).values())
        found = []
        for box in boxes:
            hidden = any(other is not box and overlap(box, other) > HIDDEN_OVERLAP
                         and other[1] + other[3] > box[1] + box[3] for other in boxes)
            if random.random() < (MISSED_WHEN_HIDDEN if hidden else MISSED):
                continue
            x, y, w, h = np.array(box) + random.normal(0, JITTER, 4) * np.array([box[2], box[3], box[2], box[3]])
            found.append((x, y, w, h, float(np.clip(random.normal(0.5 if hidden else 0.8, 0.15), 0.05, 1))))
        if boxes:
            for _ in range(random.poisson(FALSE_PER_FRAME)):
                _, _, w, h = boxes[random.integers(len(boxes))]
                x, y = random.uniform(0, size[0] - w), random.uniform(0, size[1] - h)
                found.append((x, y, w, h, float(np.clip(random.normal(0.4, 0.15), 0.05, 1))))
        table[number] = found
    return table


def write_detections(path, table):
    """Lines of MOT Challenge, which counts pixels from 1."""
    path.write_text("".join(f"{number},-1,{x + 1:.2f},{y + 1:.2f},{w:.2f},{h:.2f},{confidence:.3f}\n"
                            for number, boxes in table.items() for x, y, w, h, confidence in boxes))
