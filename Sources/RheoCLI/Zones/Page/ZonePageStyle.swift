/// The style sheet of the page on which zones are drawn: light or dark as the reader has it, on any width.
enum ZonePageStyle {
  static let text = """

    :root{--include:#1fc98b;--exclude:#ffb020;--privacy:#b794f6;--trip:#ff5d8f}
    *{box-sizing:border-box}
    [hidden]{display:none!important}
    body{margin:0;background:var(--ground);color:var(--ink);font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,
    "Noto Sans","DejaVu Sans",sans-serif}
    header,main{max-width:96rem;margin:0 auto;padding:1rem 1.25rem}
    header{display:flex;flex-wrap:wrap;align-items:end;justify-content:space-between;gap:.75rem 2rem;padding-bottom:0}
    main{display:grid;grid-template-columns:minmax(0,1fr) 21rem;gap:1.25rem;align-items:start}
    h1,h2{margin:0;line-height:1.2;font-weight:650;letter-spacing:-.01em;overflow-wrap:anywhere}
    h1{font-size:1.5rem}
    h2{margin:1.4rem 0 .6rem;font-size:1rem}
    h2:first-child{margin-top:0}
    p{margin:.35rem 0}
    .brand{margin:0 0 .15rem;color:var(--motion);font-size:.8rem;font-weight:650;letter-spacing:.08em;
    text-transform:uppercase}
    .soft{color:var(--soft);font-size:.9rem}
    .actions,.tools{display:flex;flex-wrap:wrap;gap:.4rem}
    button,input,select{font:inherit;font-size:.92rem;color:var(--ink);background:var(--card);
    border:1px solid var(--line);border-radius:.5rem;padding:.38rem .8rem;min-width:0}
    button{cursor:pointer;display:inline-flex;align-items:center;gap:.45rem}
    button:hover:enabled,select:hover{border-color:var(--soft)}
    button:disabled{opacity:.45;cursor:default}
    button.primary,button[aria-pressed=true]{background:var(--motion);border-color:var(--motion);
    color:var(--motion-ink);font-weight:600}
    :focus-visible{outline:2px solid var(--motion);outline-offset:2px}
    i{flex:none;width:.8rem;height:.8rem;border-radius:.2rem}
    i.include{background:var(--include)}i.exclude{background:var(--exclude)}
    i.privacy{background:#000;box-shadow:0 0 0 2px var(--privacy)}i.line{height:.25rem;background:var(--trip)}
    .frame{display:flex;justify-content:center;margin:.75rem 0;background:#000;border-radius:.75rem;overflow:hidden}
    #stage{position:relative;width:min(100%,calc((100vh - 13rem)*var(--shape,1.78)));touch-action:none;
    user-select:none;line-height:0}
    #stage:focus-visible{outline-offset:-3px}
    #stage.draws{cursor:crosshair}
    #image{display:block;width:100%}
    #drawing{position:absolute;inset:0;width:100%;height:100%}
    .shape polygon,.shape polyline,.shape path{fill:none;stroke-linejoin:round;stroke-linecap:round}
    .shape .halo{stroke:#000a;stroke-width:5}
    .shape .edge{stroke:var(--tone);stroke-width:2.5}
    .shape .area{fill:var(--tone);fill-opacity:.16}
    .shape.selected .area{fill-opacity:.3}
    .shape.privacy .area{fill:#000;fill-opacity:.82}
    .shape.exclude .edge{stroke-dasharray:9 6}
    .shape.include{--tone:var(--include)}.shape.exclude{--tone:var(--exclude)}
    .shape.privacy{--tone:var(--privacy)}.shape.line{--tone:var(--trip)}
    .shape text{fill:#fff;stroke:#000c;stroke-width:4;paint-order:stroke;font-size:14px;font-weight:600;
    text-anchor:middle;dominant-baseline:middle}
    .shape text.end{font-size:11px;font-weight:500}
    .corner{fill:#fff;stroke:var(--tone);stroke-width:3;cursor:grab}
    .middle{fill:var(--tone);stroke:#000a;stroke-width:1.5;cursor:copy}
    .corner:focus{outline:none;fill:var(--tone);stroke:#fff}
    .cross{stroke:#fff;stroke-width:1.5;fill:none;filter:drop-shadow(0 0 2px #000)}
    ul{list-style:none;margin:0;padding:0;display:grid;gap:.5rem}
    li{display:grid;grid-template-columns:auto minmax(0,1fr) auto;gap:.5rem;align-items:center;padding:.5rem .6rem;
    background:var(--card);border:1px solid var(--line);border-radius:.75rem}
    li.selected{border-color:var(--motion);box-shadow:0 0 0 1px var(--motion)}
    li.none{display:block;color:var(--soft);font-size:.9rem;border-style:dashed;background:none}
    li input{font-weight:600;padding:.25rem .5rem}
    li .row{grid-column:2/4;display:flex;gap:.4rem}
    li .row select{flex:1;padding:.25rem .4rem}
    li button{padding:.25rem .55rem}
    li>input{border-color:transparent}
    li>input:hover,li>input:focus{border-color:var(--line)}
    #status{min-height:1.5rem;margin-top:1rem;font-size:.9rem;color:var(--soft);overflow-wrap:anywhere}
    #status.bad{color:var(--gap);font-weight:600}
    #done{position:fixed;inset:0;display:grid;place-items:center;background:var(--ground);text-align:center}
    @media (max-width:58rem){main{grid-template-columns:minmax(0,1fr)}#stage{width:100%}}

    """
}
