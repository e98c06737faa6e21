/// The style sheet of a page: light or dark as the reader has it, on any width.
package enum PageStyle {
  /// The colours, by name.
  package static let colors = """

    :root{--ground:#f4f6f8;--card:#fff;--ink:#17212b;--soft:#5c6a78;--line:#dbe2e8;--motion:#0b7285;--motion-ink:#fff;
    --area:#0b728529;--event:#0b72851f;--lighting:#e59a00;--camera:#8250df;--cut:#6b7885;--insect:#7a5c1e;--gap:#d1242f}
    @media (prefers-color-scheme:dark){:root{--ground:#0e1317;--card:#171f26;--ink:#e7edf2;--soft:#97a5b2;\
    --line:#2b3740;
    --motion:#43c6d8;--motion-ink:#06252b;--area:#43c6d833;--event:#43c6d81f;--lighting:#f0b429;--camera:#b794f6;
    --cut:#94a1ad;--insect:#c9a45c;--gap:#ff6b70}}
    """

  static let text = colors + rules

  private static let rules = """

    *{box-sizing:border-box}
    html{scroll-behavior:smooth;-webkit-text-size-adjust:100%}
    @media (prefers-reduced-motion:reduce){html{scroll-behavior:auto}}
    body{margin:0;background:var(--ground);color:var(--ink);font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,
    "Noto Sans","DejaVu Sans",sans-serif;font-variant-numeric:tabular-nums}
    main{max-width:70rem;margin:0 auto;padding:2rem 1rem 3rem}
    section{scroll-margin-top:1rem}
    :not(header) + section{margin-top:3.5rem;padding-top:2rem;border-top:1px solid var(--line)}
    header{margin-bottom:1.5rem}
    h1,h2{margin:0;line-height:1.2;overflow-wrap:anywhere;font-weight:650;letter-spacing:-.01em}
    h1{font-size:1.9rem}h2{font-size:1.5rem}
    p{margin:.35rem 0}
    a{color:var(--motion);text-underline-offset:.15em}
    .brand{margin:0 0 .3rem;color:var(--motion);font-size:.8rem;font-weight:650;letter-spacing:.08em;
    text-transform:uppercase}
    .soft{color:var(--soft)}
    .bad{color:var(--gap)}
    .none{padding:2rem;text-align:center;color:var(--soft);background:var(--card);border:1px solid var(--line);
    border-radius:.75rem}
    .facts{display:flex;flex-wrap:wrap;gap:.5rem 2.5rem;margin:1.1rem 0 0}
    .facts dt{color:var(--soft);font-size:.85rem}
    .facts dd{margin:0;font-size:1.5rem;font-weight:600;line-height:1.25}
    .timeline{margin:0 0 2rem;padding:1rem;background:var(--card);border:1px solid var(--line);border-radius:.75rem}
    .bar,.plot,.axis{margin-left:3.1rem}
    .bar{position:relative;height:1.6rem;margin-bottom:.3rem}
    .bar a{position:absolute;top:0;height:100%;min-width:.35rem;overflow:hidden;border-radius:.3rem;
    background:var(--motion);color:var(--motion-ink);font-size:.8rem;font-weight:650;line-height:1.6rem;
    text-align:center;text-decoration:none}
    .bar a:hover,.bar a:focus-visible{outline:2px solid var(--ink);outline-offset:1px}
    .plot{position:relative;height:clamp(8rem,22vw,13rem)}
    .plot svg{display:block;width:100%;height:100%;border-bottom:1px solid var(--soft)}
    .plot path{fill:none;vector-effect:non-scaling-stroke}
    .plot .area{fill:var(--area)}
    .plot .edge{stroke:var(--motion);stroke-width:1.5;stroke-linejoin:round}
    .plot .limit{stroke:var(--soft);stroke-width:1;stroke-dasharray:4 4}
    .plot .gap{stroke:var(--gap);stroke-width:2}
    .plot .event{fill:var(--event)}
    .plot .lighting,.plot .camera,.plot .cut,.plot .insect{fill-opacity:.28}
    .lighting{fill:var(--lighting);background:var(--lighting)}
    .camera{fill:var(--camera);background:var(--camera)}
    .cut{fill:var(--cut);background:var(--cut)}
    .insect{fill:var(--insect);background:var(--insect)}
    .limits span{position:absolute;right:100%;padding-right:.5rem;transform:translateY(-50%);color:var(--soft);
    font-size:.78rem;line-height:1;white-space:nowrap}
    .axis{position:relative;height:1.4rem;margin-top:.2rem;color:var(--soft);font-size:.78rem}
    .axis span{position:absolute;transform:translateX(-50%);white-space:nowrap}
    .axis span:first-child{transform:none}
    figcaption{display:flex;flex-wrap:wrap;gap:.3rem 1.25rem;margin-top:.5rem;color:var(--soft);font-size:.85rem}
    .key{display:inline-flex;align-items:baseline;gap:.45rem}
    .key i{flex:none;width:.75rem;height:.75rem;border-radius:.2rem}
    i.limit{height:0;align-self:center;border-top:1px dashed var(--soft);border-radius:0}
    i.curve{height:.2rem;align-self:center;background:var(--motion)}
    i.event{background:var(--event);border:1px solid var(--motion)}
    i.gap{background:var(--gap)}
    .events{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(19rem,100%),1fr));gap:1.1rem;
    margin-bottom:2rem}
    article{container-type:inline-size;overflow:hidden;background:var(--card);border:1px solid var(--line);\
    border-radius:.75rem;
    scroll-margin-top:1rem}
    article:target{border-color:var(--motion);box-shadow:0 0 0 2px var(--motion)}
    article > div{padding:.85rem 1rem 1rem}
    article > img,article > video,article > svg{display:block;width:100%;height:auto;max-height:28rem;
    aspect-ratio:var(--shape);object-fit:contain;background:#000}
    article > video{height:calc(100cqw / (var(--shape)) + 4.6rem);aspect-ratio:auto;object-position:top}
    article > svg rect{fill:#ff483833;stroke:#ff4838;stroke-width:2;vector-effect:non-scaling-stroke}
    h3{display:flex;flex-wrap:wrap;align-items:center;gap:.5rem;margin:0;font-size:1rem}
    .zone{padding:.05rem .55rem;border-radius:1rem;background:var(--event);color:var(--motion);font-size:.8rem;
    font-weight:600;overflow-wrap:anywhere}
    .times{display:flex;flex-wrap:wrap;align-items:baseline;gap:.6rem;margin:.15rem 0 .5rem}
    .times strong{font-size:1.2rem;font-weight:600}
    article dl{margin:0;font-size:.9rem}
    article dl div{display:flex;gap:.75rem}
    article dt{flex:0 0 5.2rem;color:var(--soft)}
    article dd{margin:0;display:flex;align-items:center;gap:.35rem}
    .arrow{flex:none;width:1rem;height:1rem}
    .arrow path{fill:none;stroke:var(--motion);stroke-width:2;stroke-linecap:round;stroke-linejoin:round}
    .links{display:flex;gap:1rem;margin:.6rem 0 0;font-size:.9rem}
    .map{margin:1.5rem 0;background:var(--card);border:1px solid var(--line);border-radius:.75rem;overflow:hidden}
    .map img{display:block;width:100%;height:auto}
    .map figcaption{padding:.75rem 1rem;color:var(--soft);font-size:.9rem}
    details{margin-bottom:.75rem;background:var(--card);border:1px solid var(--line);border-radius:.75rem}
    summary{padding:.75rem 1rem;cursor:pointer;font-weight:600}
    .scroll{overflow-x:auto}
    details .scroll{padding:0 1rem 1rem}
    table{width:100%;border-collapse:collapse;font-size:.92rem}
    th,td{padding:.4rem .75rem .4rem 0;text-align:left;vertical-align:top;border-bottom:1px solid var(--line)}
    th{color:var(--soft);font-weight:500;font-size:.85rem}
    tr:last-child td{border-bottom:0}
    .overview{margin-bottom:1rem;white-space:nowrap}
    .overview td{vertical-align:middle}
    .overview td:first-child{max-width:18rem;overflow:hidden;text-overflow:ellipsis}
    .overview td:nth-child(2){width:45%;min-width:8rem}
    .strip{display:block;width:100%;height:.9rem;border-radius:.2rem;background:var(--event)}
    .strip .motion{fill:var(--motion)}
    footer{margin-top:2rem;color:var(--soft);font-size:.85rem}
    @media (max-width:34rem){main{padding-top:1.25rem}h1{font-size:1.5rem}.facts{gap:.5rem 1.6rem}
    .facts dd{font-size:1.25rem}.axis span:nth-child(even){display:none}.timeline{padding:.75rem}
    .overview th:nth-child(n+4),.overview td:nth-child(n+4){display:none}
    .overview td:first-child{max-width:11rem}.overview td:nth-child(2){min-width:5rem}}
    @media print{body{background:#fff}article,.timeline{break-inside:avoid}}

    """
}
