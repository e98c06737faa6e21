"""The method of Bewley et al. (ICIP 2016, doi:10.1109/ICIP.2016.7533003) from its text: Kalman filter and overlap."""

import numpy as np
from scipy.optimize import linear_sum_assignment

from track_truth import overlap

MINIMUM_OVERLAP, MINIMUM_CONFIDENCE = 0.3, 0.3


class Filter:
    """The state is x, y of the centre, area, ratio of the sides, and the motion of the first three."""

    def __init__(self, box):
        self.state = np.r_[measured(box), 0, 0, 0]
        self.covariance = np.diag([10, 10, 10, 10, 1e4, 1e4, 1e4]).astype(float)
        self.transition = np.eye(7)
        self.transition[[0, 1, 2], [4, 5, 6]] = 1
        self.noise = np.diag([1, 1, 1, 1, 0.01, 0.01, 1e-4])

    def predict(self):
        if self.state[2] + self.state[6] <= 0:
            self.state[6] = 0
        self.state = self.transition @ self.state
        self.covariance = self.transition @ self.covariance @ self.transition.T + self.noise

    def update(self, box):
        observation = np.eye(4, 7)
        gain = self.covariance @ observation.T @ np.linalg.inv(
            observation @ self.covariance @ observation.T + np.diag([1, 1, 10, 10]))
        self.state = self.state + gain @ (measured(box) - observation @ self.state)
        self.covariance = (np.eye(7) - gain @ observation) @ self.covariance

    @property
    def box(self):
        x, y, area, ratio = self.state[:4]
        width = np.sqrt(max(area * ratio, 1e-6))
        height = area / width
        return (x - width / 2, y - height / 2, width, height)


def measured(box):
    x, y, w, h = box[:4]
    return np.array([x + w / 2, y + h / 2, w * h, w / h])


def sort_tracks(detections, patience=1, confirmation=3):
    """Tracks {frame: {identity: box}} of {frame: [(x, y, width, height, confidence)]}."""
    live, table, last = [], {}, 0
    for number in range(1, max(detections) + 1):
        boxes = [box[:4] for box in detections.get(number, []) if box[4] >= MINIMUM_CONFIDENCE]
        for track in live:
            track["filter"].predict()
            track["missed"] += 1
        common = np.array([[overlap(track["filter"].box, box) for box in boxes] for track in live])
        taken = set()
        if common.size:
            for t, b in zip(*linear_sum_assignment(-common)):
                if common[t, b] >= MINIMUM_OVERLAP:
                    live[t]["filter"].update(boxes[b])
                    live[t]["missed"], live[t]["seen"] = 0, live[t]["seen"] + 1
                    taken.add(b)
        for b, box in enumerate(boxes):
            if b not in taken:
                last += 1
                live.append({"filter": Filter(box), "id": last, "missed": 0, "seen": 1})
        live = [track for track in live if track["missed"] <= patience]
        for track in live:
            if track["missed"] == 0 and (track["seen"] >= confirmation or number <= confirmation):
                table.setdefault(number, {})[track["id"]] = track["filter"].box
    return table
