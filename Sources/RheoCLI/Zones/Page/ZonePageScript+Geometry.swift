extension ZonePageScript {
  /// Positions on the screen, and what is found there.
  static let geometry = #"""
    const pointerRadius = 10;

    const sizeOfStage = () => [drawing.clientWidth || 1, drawing.clientHeight || 1];
    const clamped = (value) => Math.min(Math.max(value, 0), 1);
    const distance = (a, b) => Math.hypot(a[0] - b[0], a[1] - b[1]);
    const between = (a, b) => [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2];
    const next = (points, index) => points[(index + 1) % points.length];

    function onScreen(point) {
      const [width, height] = sizeOfStage();
      return [point[0] * width, point[1] * height];
    }

    function pointOf(event) {
      const box = drawing.getBoundingClientRect();
      return [clamped((event.clientX - box.left) / box.width), clamped((event.clientY - box.top) / box.height)];
    }

    const isNear = (a, b) => distance(onScreen(a), onScreen(b)) <= pointerRadius;

    function distanceToSegment(point, start, end) {
      const along = [end[0] - start[0], end[1] - start[1]];
      const square = along[0] ** 2 + along[1] ** 2 || 1;
      const share = clamped(((point[0] - start[0]) * along[0] + (point[1] - start[1]) * along[1]) / square);
      return distance(point, [start[0] + share * along[0], start[1] + share * along[1]]);
    }

    // By the even-odd rule.
    function isInside(point, corners) {
      let inside = false;
      corners.forEach((a, index) => {
        const b = next(corners, index);
        if (a[1] > point[1] !== b[1] > point[1] &&
            point[0] < a[0] + (b[0] - a[0]) * (point[1] - a[1]) / (b[1] - a[1])) inside = !inside;
      });
      return inside;
    }

    // The selected shape is asked first, then the others from the top down.
    function found(point) {
      const order = [...shapes].reverse().sort((a, b) => (b.id === selected) - (a.id === selected));
      for (const shape of order) {
        const corner = shape.points.findIndex((each) => isNear(each, point));
        if (corner >= 0) return { shape, corner };
        if (shape.kind === "line" || shape.id !== selected) continue;
        const middle = shape.points.findIndex((each, index) => isNear(between(each, next(shape.points, index)), point));
        if (middle >= 0) return { shape, middle };
      }
      const position = onScreen(point);
      const shape = order.find((shape) => shape.kind === "zone" ? isInside(point, shape.points)
        : distanceToSegment(position, ...shape.points.map(onScreen)) <= pointerRadius);
      return shape ? { shape } : null;
    }

    function moved(points, by) {
      const limit = (axis) => {
        const values = points.map((point) => point[axis]);
        return Math.min(Math.max(by[axis], -Math.min(...values)), 1 - Math.max(...values));
      };
      const step = [limit(0), limit(1)];
      return points.map((point) => [point[0] + step[0], point[1] + step[1]]);
    }
    """#
}
