extension ZonePageScript {
  /// The mouse, the pen and the finger.
  static let pointer = #"""
    let drag = null;

    function addCorner(point) {
      const { points } = draft;
      if (tool === "line") {
        if (points.length === 0 || !isNear(points[0], point)) points.push(point);
        return points.length === 2 ? finishDraft() : showAll();
      }
      // The second click of a double click, too, is at the last corner.
      const closes = points.length > 2 && (isNear(points[0], point) || isNear(points.at(-1), point));
      if (closes) return finishDraft();
      if (points.length === 0 || !isNear(points.at(-1), point)) points.push(point);
      showAll();
    }

    function press(event) {
      if (event.button !== 0) return;
      event.preventDefault();
      stage.focus({ preventScroll: true });
      stage.setPointerCapture(event.pointerId);
      const point = pointOf(event);
      if (draft) {
        draft.isByKey = false;
        return addCorner(point);
      }
      const hit = found(point);
      drag = hit && { ...hit, start: point, points: structuredClone(hit.shape.points), hasBegun: false };
      select(hit ? hit.shape.id : null);
    }

    function move(event) {
      const point = pointOf(event);
      if (draft) {
        draft.pointer = point;
        draft.isByKey = false;
        return draw();
      }
      if (!drag) {
        const hit = found(point);
        stage.style.cursor = !hit ? "" : hit.middle !== undefined ? "copy" : "grab";
        return;
      }
      if (!drag.hasBegun) {
        if (distance(onScreen(drag.start), onScreen(point)) < 3) return;
        begin(drag);
      }
      const by = [point[0] - drag.start[0], point[1] - drag.start[1]];
      if (drag.corner === undefined) {
        drag.shape.points = moved(drag.points, by);
      } else {
        const from = drag.points[drag.corner];
        drag.shape.points[drag.corner] = [clamped(from[0] + by[0]), clamped(from[1] + by[1])];
      }
      draw();
    }

    // The first move of a drag: the middle of an edge becomes a corner.
    function begin(drag) {
      remember();
      drag.hasBegun = true;
      if (drag.middle === undefined) return;
      drag.corner = drag.middle + 1;
      drag.points.splice(drag.corner, 0, between(drag.points[drag.middle], next(drag.points, drag.middle)));
      drag.shape.points = structuredClone(drag.points);
    }

    function release(event) {
      const wasDragged = drag?.hasBegun;
      drag = null;
      // A trip line may be drawn by pressing at one end and letting go at the other.
      if (draft && tool === "line" && draft.points.length === 1) {
        const point = pointOf(event);
        if (distance(onScreen(draft.points[0]), onScreen(point)) > 2 * pointerRadius) addCorner(point);
      }
      if (wasDragged) showAll();
    }

    stage.addEventListener("pointerdown", press);
    stage.addEventListener("pointermove", move);
    stage.addEventListener("pointerup", release);
    stage.addEventListener("pointercancel", release);
    stage.addEventListener("pointerleave", () => {
      if (draft && !draft.isByKey) draft.pointer = null;
      draw();
    });
    """#
}
