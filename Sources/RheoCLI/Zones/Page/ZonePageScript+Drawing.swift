extension ZonePageScript {
  /// The shapes over the image.
  static let drawing = #"""
    function element(name, attributes, parent, text) {
      const node = document.createElementNS("http://www.w3.org/2000/svg", name);
      for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
      if (text !== undefined) node.textContent = text;
      parent.append(node);
      return node;
    }

    const textOf = (point) => point.map((value) => value.toFixed(1)).join(" ");
    const listOf = (points) => points.map((point) => textOf(onScreen(point))).join(", ");

    function drawOutline(group, points, isClosed) {
      const name = isClosed ? "polygon" : "polyline";
      if (isClosed) element("polygon", { class: "area", points: listOf(points) }, group);
      for (const part of ["halo", "edge"]) element(name, { class: part, points: listOf(points) }, group);
    }

    // Arrows across the line, to the sides at which a crossing that counts ends.
    function drawCrossings(group, shape) {
      const [start, end] = shape.points.map(onScreen);
      const length = distance(start, end) || 1;
      const right = [-(end[1] - start[1]) / length, (end[0] - start[0]) / length];
      const middle = between(start, end);
      const at = (across, along) => textOf([middle[0] + right[0] * across + right[1] * along,
        middle[1] + right[1] * across - right[0] * along]);
      const direction = shape.data.direction ?? "both";
      const tips = [...(direction === "right-to-left" ? [] : [1]), ...(direction === "left-to-right" ? [] : [-1])];
      const tail = tips.length === 2 ? 0 : -22 * tips[0];
      for (const side of tips) {
        const path = `M${at(tail, 0)}L${at(22 * side, 0)}M${at(14 * side, 7)}L${at(22 * side, 0)}L${at(14 * side, -7)}`;
        for (const part of ["halo", "edge"]) element("path", { class: part, d: path }, group);
      }
    }

    function drawHandles(group, shape) {
      if (shape.kind === "zone") shape.points.forEach((point, index) => {
        const [cx, cy] = onScreen(between(point, next(shape.points, index)));
        element("circle", { class: "middle", cx, cy, r: 4 }, group);
      });
      shape.points.forEach((point, index) => {
        const [cx, cy] = onScreen(point);
        const name = shape.kind === "line" ? ["From", "To"][index] : `Corner ${index + 1}`;
        element("circle", { class: "corner", cx, cy, r: 6, tabindex: 0, role: "button", "data-corner": index,
          "aria-label": `${name} of ${shape.data.name}` }, group);
      });
    }

    function drawShape(shape) {
      const isSelected = shape.id === selected;
      const group = element("g", { class: `shape ${toneOf(shape)}${isSelected ? " selected" : ""}` }, drawing);
      drawOutline(group, shape.points, shape.kind === "zone");
      const positions = shape.points.map(onScreen);
      const sum = positions.reduce((a, b) => [a[0] + b[0], a[1] + b[1]]);
      let [x, y] = sum.map((value) => value / positions.length);
      if (shape.kind === "line") {
        drawCrossings(group, shape);
        const isSteep = Math.abs(positions[1][1] - positions[0][1]) > Math.abs(positions[1][0] - positions[0][0]);
        [x, y] = between(between(...positions), positions[1]);
        if (isSteep) x += 14 + 4 * shape.data.name.length; else y -= 18;
        ["from", "to"].forEach((word, index) => {
          element("text", { class: "end", x: positions[index][0], y: positions[index][1] - 15 }, group, word);
        });
      }
      element("text", { x, y }, group, shape.data.name);
      if (isSelected) drawHandles(group, shape);
    }

    function drawDraft() {
      const group = element("g", { class: `shape ${tool}` }, drawing);
      const points = draft.pointer && isDraft() ? [...draft.points, draft.pointer] : draft.points;
      if (points.length > 1) drawOutline(group, points, false);
      draft.points.forEach((point, index) => {
        const [cx, cy] = onScreen(point);
        const closes = index === 0 && tool !== "line" && draft.points.length > 2;
        element("circle", { class: "corner", cx, cy, r: closes ? 8 : 5 }, group);
      });
      if (!draft.isByKey) return;
      const [x, y] = onScreen(draft.pointer);
      element("path", { class: "cross", d: `M${x - 14} ${y}h28M${x} ${y - 14}v28` }, drawing);
    }

    function draw() {
      const [width, height] = sizeOfStage();
      const corner = document.activeElement?.dataset?.corner;
      drawing.setAttribute("viewBox", `0 0 ${width} ${height}`);
      drawing.replaceChildren();
      for (const shape of shapes) drawShape(shape);
      if (draft) drawDraft();
      if (corner !== undefined) drawing.querySelector(`[data-corner="${corner}"]`)?.focus({ preventScroll: true });
    }
    """#
}
