extension ZonePageScript {
  /// The list of all shapes beside the image, the tools and the hint below it.
  static let panel = #"""
    function make(name, fields, ...children) {
      const node = Object.assign(document.createElement(name), fields);
      node.append(...children);
      return node;
    }

    function choice(shape, field, label, options) {
      const node = make("select", { ariaLabel: `${label} of ${shape.data.name}` },
        ...Object.entries(options).map(([value, text]) => make("option", { value, textContent: text })));
      node.value = shape.data[field] ?? Object.keys(options)[0];
      node.addEventListener("change", () => {
        remember();
        shape.data[field] = node.value;
        showAll();
      });
      return node;
    }

    function nameField(shape) {
      const node = make("input", { value: shape.data.name, ariaLabel: "Name", spellcheck: false });
      node.addEventListener("focus", () => mark(shape));
      node.addEventListener("input", () => {
        remember(`name ${shape.id}`);
        shape.data.name = node.value;
        draw();
        showState();
      });
      return node;
    }

    function swapButton(shape) {
      const ariaLabel = `Swap ends of ${shape.data.name}`;
      const node = make("button", { textContent: "⇄", title: "Swap the ends", ariaLabel });
      node.addEventListener("click", () => {
        remember();
        shape.points.reverse();
        showAll();
      });
      return node;
    }

    function item(shape) {
      const button = make("button", { textContent: "×", title: "Delete", ariaLabel: `Delete ${shape.data.name}` });
      button.addEventListener("click", () => remove(shape.id));
      const row = shape.kind === "zone"
        ? [choice(shape, "mode", "Purpose", {
          include: "motion counts here", exclude: "motion does not count", privacy: "blackened" })]
        : [choice(shape, "direction", "Direction", {
          both: "both ways", "left-to-right": "left to right", "right-to-left": "right to left" }), swapButton(shape)];
      const node = make("li", {}, make("i", { className: toneOf(shape) }), nameField(shape), button,
        make("div", { className: "row" }, ...row));
      node.dataset.id = shape.id;
      node.addEventListener("pointerdown", () => mark(shape));
      return node;
    }

    // Selects a shape and leaves the list as it is, since its fields are in use.
    function mark(shape) {
      if (draft) return;
      selected = shape.id;
      markItems();
      draw();
      showState();
    }

    function markItems() {
      for (const node of document.querySelectorAll("li")) {
        node.classList.toggle("selected", Number(node.dataset.id) === selected);
      }
    }

    function showList(list, kind, word) {
      const items = shapes.filter((shape) => shape.kind === kind).map(item);
      const focus = [...list.querySelectorAll("input,select,button")].indexOf(document.activeElement);
      list.replaceChildren(...items);
      if (items.length === 0) list.append(make("li", { className: "none", textContent: word }));
      if (focus >= 0) list.querySelectorAll("input,select,button")[focus]?.focus();
    }

    function hint() {
      if (!draft) {
        return selected === null ? "Choose what to draw, or click on a shape to change it."
          : "Drag a corner or the whole shape. Dots on its edges become corners. Delete removes; Tab goes to corners.";
      }
      const count = draft.points.length;
      if (tool === "line") return `Click where the line ${count ? "ends" : "begins"}. Keys: arrows and Enter.`;
      if (count === 0) return "Click on the first corner. Keys: arrows move a cross, Enter sets a corner, Escape ends.";
      return count < 3 ? "Click on the next corner. Backspace takes the last one back."
        : "Click on the next corner; double-click, or click on the first one, to close.";
    }

    function showState() {
      byId("undo").disabled = past.length === 0 && !isDraft();
      byId("redo").disabled = future.length === 0;
      byId("hint").textContent = hint();
      const isSaved = fileText() === savedText;
      if (!isSaved) tell("Not saved yet."); else if (byId("status").textContent === "Not saved yet.") tell("");
    }

    function showAll() {
      for (const button of document.querySelectorAll("[data-tool]")) {
        button.setAttribute("aria-pressed", button.dataset.tool === tool);
      }
      stage.classList.toggle("draws", draft !== null);
      stage.style.cursor = "";
      const hasLines = shapes.some((shape) => shape.kind === "line");
      showList(byId("zones"), "zone", `None: ${hasLines ? "only trip lines count" : "motion counts everywhere"}.`);
      showList(byId("lines"), "line", "None.");
      markItems();
      draw();
      showState();
    }

    for (const button of document.querySelectorAll("[data-tool]")) {
      button.addEventListener("click", () => {
        choose(button.dataset.tool);
        if (draft) stage.focus({ preventScroll: true });
      });
    }
    """#
}
