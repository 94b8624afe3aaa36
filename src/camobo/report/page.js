"use strict";
// Draws each figure when it comes into view, in the colours of the page, and again when the colours or the width change.
(() => {
  const stored = JSON.parse(document.getElementById("figures").textContent);
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const narrow = matchMedia("(max-width: 35rem)");
  const light = { ink: "#23272e", soft: "#5c6470", line: "#e2e3df", card: "#ffffff" };
  const night = { ink: "#e7e9ec", soft: "#a0a8b3", line: "#333a42", card: "#252a31" };
  const page = { whole: 660, half: 322, panel: 212 }; // widths in pixels, printed on A4 or Letter
  const plots = [...document.querySelectorAll(".plot")];
  const drawn = new Set();
  let printing = false;

  for (const figure of stored.figures) {
    for (const trace of figure.data) {
      if (trace.hovertext) trace.hovertext = trace.hovertext.map((hover) => hover && hover[0] + stored.texts[hover[1]]);
    }
  }

  const tone = (axis, colours) => ({ ...axis, gridcolor: axis.gridcolor === "#8b929c" ? axis.gridcolor : colours.line,
    linecolor: colours.line, tickcolor: colours.line, zerolinecolor: colours.line });

  function layoutOf(plot, source) {
    const colours = dark.matches && !printing ? night : light;
    const small = plot.parentElement.classList.contains("panel");
    const tight = small || narrow.matches || printing;
    const layout = { ...source, paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)" };
    layout.font = { ...source.font, color: colours.ink, size: tight ? 11 : 13 };
    layout.margin = { l: 44, r: tight ? 8 : 20, t: tight ? 12 : 24, b: 40 };
    layout.modebar = { bgcolor: "rgba(0,0,0,0)", color: colours.soft, activecolor: colours.ink };
    layout.hoverlabel = { ...source.hoverlabel, bgcolor: colours.card, bordercolor: colours.soft,
      font: { ...source.hoverlabel.font, color: colours.ink, size: 12 } };
    for (const key of Object.keys(source)) {
      if (/^[xy]axis/.test(key)) layout[key] = tone(source[key], colours);
    }
    if (narrow.matches && source.xaxis && source.xaxis.ticktext) layout.xaxis.tickangle = -35;
    if (source.scene) {
      layout.scene = { ...source.scene };
      for (const key of ["xaxis", "yaxis", "zaxis"]) layout.scene[key] = tone(source.scene[key], colours);
      layout.margin = { l: 0, r: 0, t: 12, b: 0 };
      const eye = source.scene.camera.eye;
      if (narrow.matches) layout.scene.camera = { eye: { x: 1.7 * eye.x, y: 1.7 * eye.y, z: 1.7 * eye.z } };
    }
    if (printing) {
      const half = plot.closest(".pair") !== null;
      layout.width = small ? page.panel : half ? page.half : page.whole;
      layout.height = Math.min(source.height, small ? 200 : half ? 240 : source.scene ? 440 : 320);
    }
    return layout;
  }

  function draw(plot) {
    const figure = stored.figures[Number(plot.dataset.figure)];
    const layout = layoutOf(plot, figure.layout);
    // An explicit list of buttons: recent versions of Plotly add one that uploads the chart.
    const tools = figure.layout.scene ? ["orbitRotation", "pan3d", "resetCameraDefault3d"] : ["zoom2d", "pan2d", "resetScale2d"];
    const config = { responsive: !printing, displaylogo: false, showTips: false, plotlyServerURL: "",
      modeBarButtons: [["toImage"], tools], toImageButtonOptions: { format: "svg", filename: "camobo" } };
    // Copies, because Plotly modifies its arguments and a later drawing starts from the original.
    Plotly.react(plot, structuredClone(figure.data), structuredClone(layout), config);
    drawn.add(plot);
  }

  const redraw = () => drawn.forEach(draw);
  for (const plot of plots) plot.style.minHeight = `${stored.figures[Number(plot.dataset.figure)].layout.height}px`;
  const watcher = new IntersectionObserver((entries) => {
    for (const entry of entries) {
      if (entry.isIntersecting) {
        watcher.unobserve(entry.target);
        if (!drawn.has(entry.target)) draw(entry.target);
      }
    }
  }, { rootMargin: "600px 0px" });
  plots.forEach((plot) => watcher.observe(plot));
  dark.addEventListener("change", redraw);
  narrow.addEventListener("change", redraw);
  window.addEventListener("beforeprint", () => {
    printing = true;
    for (const plot of plots) plot.style.minHeight = "0";
    plots.forEach(draw);
  });
  window.addEventListener("afterprint", () => {
    printing = false;
    redraw();
  });
})();
