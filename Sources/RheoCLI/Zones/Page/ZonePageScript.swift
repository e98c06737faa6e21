/// The script of the page on which zones are drawn, in parts: this one holds the shapes and their history.
enum ZonePageScript {
  static let model = #"""
    // A shape is {id, kind: "zone" or "line", data, points}: its other fields in the file, and its corners or ends in
    // fractions of the image's sides.
    const byId = (id) => document.getElementById(id);
    const stage = byId("stage"), drawing = byId("drawing"), image = byId("image");
    const identity = (() => { let last = 0; return () => ++last; })();
    let shapes = [], selected = null, tool = "select", draft = null;
    let past = [], future = [], lastChange = null, savedText = "";

    const toneOf = (shape) => shape.kind === "line" ? "line" : shape.data.mode ?? "include";
    const shapeOf = (id) => shapes.find((shape) => shape.id === id);
    const minimumCount = (shape) => shape.kind === "line" ? 2 : 3;
    const isDraft = () => draft !== null && draft.points.length > 0;

    function fileText() {
      const rounded = (point) => point.map((value) => Math.round(value * 1e4) / 1e4);
      return JSON.stringify({
        zones: shapes.filter((shape) => shape.kind === "zone")
          .map((shape) => ({ ...shape.data, polygon: shape.points.map(rounded) })),
        tripLines: shapes.filter((shape) => shape.kind === "line")
          .map((shape) => ({ ...shape.data, from: rounded(shape.points[0]), to: rounded(shape.points[1]) })),
      });
    }

    function load({ zones = [], tripLines = [] }) {
      shapes = [
        ...zones.map(({ polygon, ...data }) => ({ id: identity(), kind: "zone", data, points: polygon })),
        ...tripLines.map(({ from, to, ...data }) => ({ id: identity(), kind: "line", data, points: [from, to] })),
      ];
      savedText = fileText();
    }

    // Remembers the shapes before a change. Changes with the same name that follow each other are undone as one.
    function remember(name = null) {
      if (name !== null && name === lastChange) return;
      lastChange = name;
      past.push(structuredClone(shapes));
      if (past.length > 200) past.shift();
      future = [];
    }

    function travel(from, to) {
      if (from.length === 0) return;
      to.push(structuredClone(shapes));
      shapes = from.pop();
      lastChange = null;
      if (!shapeOf(selected)) selected = null;
      showAll();
    }

    function undo() {
      if (!isDraft()) return travel(past, future);
      draft.points.pop();
      showAll();
    }

    function redo() { travel(future, past); }

    function freeName(word) {
      const names = new Set(shapes.map((shape) => shape.data.name));
      let number = 1;
      while (names.has(`${word} ${number}`)) number += 1;
      return `${word} ${number}`;
    }

    // Makes the drawn corners a shape.
    function finishDraft() {
      const { points } = draft;
      remember();
      const isLine = tool === "line";
      const data = { name: freeName(isLine ? "line" : tool === "include" ? "zone" : tool) };
      if (isLine) data.direction = "both"; else data.mode = tool;
      shapes.push({ id: identity(), kind: isLine ? "line" : "zone", data, points });
      selected = shapes.at(-1).id;
      choose("select");
    }

    function remove(id) {
      if (!shapeOf(id)) return;
      remember();
      shapes = shapes.filter((shape) => shape.id !== id);
      if (selected === id) selected = null;
      showAll();
    }

    function removeCorner(shape, index) {
      if (shape.points.length <= minimumCount(shape)) return remove(shape.id);
      remember();
      shape.points.splice(index, 1);
      showAll();
    }

    function select(id) {
      selected = id;
      showAll();
    }

    function choose(name) {
      tool = name;
      draft = name === "select" ? null : { points: [], pointer: null };
      if (draft) selected = null;
      showAll();
    }
    """#
}
