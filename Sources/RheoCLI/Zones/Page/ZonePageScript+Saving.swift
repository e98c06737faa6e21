extension ZonePageScript {
  /// Reading and writing the zones, and the beginning.
  static let saving = #"""
    let output = "";

    function tell(text, isBad = false) {
      byId("status").textContent = text;
      byId("status").classList.toggle("bad", isBad);
    }

    // Writes the file; `path` is "zones", or "close" when the program is to end then.
    async function save(path) {
      if (isDraft()) return tell("The shape is not finished: close it, or press Escape.", true);
      const text = fileText();
      try {
        const headers = { "Content-Type": "application/json" };
        const reply = await fetch(path, { method: "POST", headers, body: text });
        if (!reply.ok) return tell(await reply.text(), true);
      } catch {
        return tell("Not saved: the program has ended.", true);
      }
      savedText = text;
      tell(`Saved as ${output}.`);
      if (path === "close") byId("done").hidden = false;
    }

    byId("undo").addEventListener("click", undo);
    byId("redo").addEventListener("click", redo);
    byId("save").addEventListener("click", () => save("zones"));
    byId("close").addEventListener("click", () => save("close"));
    addEventListener("beforeunload", (event) => { if (fileText() !== savedText) event.preventDefault(); });
    new ResizeObserver(draw).observe(image);
    const fit = () => stage.style.setProperty("--shape", image.naturalWidth / image.naturalHeight);
    if (image.complete) fit(); else image.addEventListener("load", fit);

    (async () => {
      const reply = await fetch("zones");
      const scene = await reply.json();
      output = scene.output;
      const name = scene.input.split("/").at(-1);
      document.title = `Zones of ${name}`;
      Object.assign(byId("input"), { textContent: name, title: scene.input });
      byId("saved").textContent = output;
      load(scene);
      showAll();
    })();
    """#
}
