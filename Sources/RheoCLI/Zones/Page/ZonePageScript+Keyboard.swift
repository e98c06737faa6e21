extension ZonePageScript {
  /// Everything that the mouse does, by keys.
  static let keyboard = #"""
    const toolKeys = { v: "select", i: "include", e: "exclude", p: "privacy", l: "line" };
    const arrows = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

    function arrowKey(key, isFine) {
      const step = arrows[key].map((value) => value * (isFine ? 0.001 : 0.01));
      const shape = shapeOf(selected);
      const corner = document.activeElement.dataset.corner;
      if (draft) {
        draft.pointer = moved([draft.pointer ?? [0.5, 0.5]], step)[0];
        draft.isByKey = true;
      } else if (shape) {
        remember(`keys ${shape.id} ${corner}`);
        if (corner === undefined) shape.points = moved(shape.points, step);
        else shape.points[corner] = moved([shape.points[corner]], step)[0];
      }
      showAll();
    }

    function enterKey() {
      if (!draft) return;
      draft.isByKey = true;
      draft.pointer ??= [0.5, 0.5];
      addCorner(draft.pointer);
    }

    function deleteKey() {
      const shape = shapeOf(selected);
      const corner = document.activeElement.dataset.corner;
      if (isDraft()) return undo();
      if (!shape) return;
      if (corner === undefined) remove(shape.id); else removeCorner(shape, Number(corner));
    }

    function escapeKey() {
      if (isDraft()) return choose(tool);
      if (draft) return choose("select");
      select(null);
    }

    function commandKey(event) {
      const key = event.key.toLowerCase();
      if (key === "s") save("zones");
      else if (key === "z" && event.shiftKey || key === "y") redo();
      else if (key === "z") undo();
      else return false;
      return true;
    }

    // Returns whether the key was one that the page knows.
    function handleKey(event) {
      const isTyping = event.target.matches("input, select");
      if (event.ctrlKey || event.metaKey) {
        return isTyping && event.key.toLowerCase() !== "s" ? false : commandKey(event);
      }
      if (isTyping || event.altKey) return false;
      const isOnImage = stage.contains(event.target);
      if (event.key === "Escape") escapeKey();
      else if (event.key in toolKeys) {
        choose(toolKeys[event.key]);
        stage.focus({ preventScroll: true });
      } else if (isOnImage && event.key in arrows) arrowKey(event.key, event.shiftKey);
      else if (isOnImage && (event.key === "Enter" || event.key === " ")) enterKey();
      else if (event.key === "Delete" || event.key === "Backspace") deleteKey();
      else return false;
      return true;
    }

    document.addEventListener("keydown", (event) => {
      if (byId("done").hidden && handleKey(event)) event.preventDefault();
    });
    """#
}
