import Rheo

/// The page on which zones and trip lines are drawn. It needs no other file but the frame and the zones, which its
/// server has.
enum ZonePage {
  /// Returns the page.
  /// - Parameter nonce: The word by which the browser knows the page's own style and script.
  static func text(nonce: String) -> String {
    """
    <!DOCTYPE html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <link rel="icon" href="data:,">
    <title>Zones</title>
    <style nonce="\(nonce)">\(PageStyle.colors)\(ZonePageStyle.text)</style>
    </head>
    \(body)
    <script nonce="\(nonce)">
    "use strict";
    \(ZonePageScript.model)
    \(ZonePageScript.geometry)
    \(ZonePageScript.drawing)
    \(ZonePageScript.pointer)
    \(ZonePageScript.keyboard)
    \(ZonePageScript.panel)
    \(ZonePageScript.saving)
    </script>
    </html>

    """
  }

  private static let body = """
    <body>
    <header>
    <div><p class="brand">Rheo zones</p><h1 id="input"></h1></div>
    <div class="actions">
    <button id="undo" title="Ctrl+Z">Undo</button>
    <button id="redo" title="Ctrl+Shift+Z">Redo</button>
    <button id="save" title="Ctrl+S">Save</button>
    <button id="close" class="primary">Save and close</button>
    </div>
    </header>
    <main>
    <section aria-label="Image">
    <div class="tools" role="toolbar" aria-label="Tools">
    <button data-tool="select" title="Key V">Select</button>
    <button data-tool="include" title="Key I"><i class="include"></i>Include</button>
    <button data-tool="exclude" title="Key E"><i class="exclude"></i>Exclude</button>
    <button data-tool="privacy" title="Key P"><i class="privacy"></i>Privacy</button>
    <button data-tool="line" title="Key L"><i class="line"></i>Trip line</button>
    </div>
    <div class="frame">
    <div id="stage" tabindex="0" role="application" aria-label="Image with zones" aria-describedby="hint">
    <img id="image" alt="" src="frame.jpg" draggable="false"><svg id="drawing"></svg>
    </div>
    </div>
    <p id="hint" class="soft"></p>
    </section>
    <aside aria-label="Zones and trip lines">
    <h2>Zones</h2><ul id="zones"></ul>
    <h2>Trip lines</h2><ul id="lines"></ul>
    <p id="status" role="status"></p>
    </aside>
    </main>
    <div id="done" role="alert" hidden><div><p class="brand">Saved</p><h1 id="saved"></h1>
    <p class="soft">This page can be closed.</p></div></div>
    </body>
    """
}
