"""What a user of OpenCV would write in forty lines: blobs of a background model, joined from frame to frame by overlap."""

import cv2

from track_truth import frames, overlap


def blobs(mask, least_area):
    """Boxes around what is left of a mask of the foreground after shadows, specks and holes are taken out."""
    mask = cv2.threshold(mask, 200, 255, cv2.THRESH_BINARY)[1]
    mask = cv2.morphologyEx(mask, cv2.MORPH_OPEN, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (3, 3)))
    mask = cv2.morphologyEx(mask, cv2.MORPH_CLOSE, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (7, 15)))
    stats = cv2.connectedComponentsWithStats(mask)[2][1:]
    return [tuple(map(int, row[:4])) for row in stats if row[4] >= least_area]


def blob_tracks(video, patience=10, confirmation=5):
    """Tracks of MOG2's blobs: {frame: {identity: box}}; the first to see the most overlapping box takes it."""
    model, live, finished = cv2.createBackgroundSubtractorMOG2(), [], []
    for number, frame in frames(video):
        found = blobs(model.apply(frame), frame.shape[0] * frame.shape[1] / 1000)
        pairs = sorted(((overlap(track["box"], box), t, b) for t, track in enumerate(live)
                        for b, box in enumerate(found)), reverse=True)
        tracks, boxes = set(), set()
        for common, t, b in pairs:
            if common > 0.2 and t not in tracks and b not in boxes:
                tracks.add(t), boxes.add(b)
                live[t]["box"], live[t]["seen"] = found[b], number
                live[t]["boxes"][number] = found[b]
        finished += [track for track in live if number - track["seen"] > patience]
        live = [track for track in live if number - track["seen"] <= patience]
        for b in set(range(len(found))) - boxes:
            live.append({"box": found[b], "seen": number, "boxes": {number: found[b]}})
    table = {}
    for identity, track in enumerate(t for t in finished + live if len(t["boxes"]) >= confirmation):
        for number, box in track["boxes"].items():
            table.setdefault(number, {})[identity + 1] = box
    return table
