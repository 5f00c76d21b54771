// @ts-check
// The graph: monitors where Python has placed them, arrows between them, and how large all of it is shown.
// As a list the same monitors stand one after the other: on a phone, on paper, and for who prefers it.
import { draw, make } from "./elements.js";

const SMALLEST = 0.3;
const LARGEST = 2;
const READABLE = 0.62;
const HEIGHT_SHARE = 0.7;
const MARGIN = 24;

/**
 * @param {import("./decode.js").Drawing} drawing
 * @param {HTMLElement[]} monitors By node.
 */
export function makeGraph(drawing, monitors) {
  const [width, height] = drawing.size;
  const arrows = drawing.arrows.map(([parent, child, path]) => ({ parent, child, line: draw("path", { d: path, class: "arrow" }) }));
  const lines = draw(
    "svg",
    { class: "arrows", width: String(width), height: String(height), "aria-hidden": "true" },
    draw("defs", {}, arrowHead("head"), arrowHead("near-head")),
    ...arrows.map((arrow) => arrow.line),
  );
  const canvas = make("div", { class: "canvas" }, lines);
  // From top to bottom: the order of the tab key, of the list and of who listens.
  const order = drawing.nodes.map((_, node) => node).sort((one, other) => place(one) - place(other));
  for (const node of order) canvas.append(monitors[node]);
  const frame = make("div", { class: "frame", role: "group", tabindex: "0", "aria-label": "The network" }, canvas);
  const element = make("div", { class: "graph" }, makeZoom(), frame);

  /** @param {number} node */
  function place(node) {
    const [x, y] = drawing.nodes[node].box;
    return y * 1e5 + x;
  }

  monitors.forEach((monitor, node) => {
    const [x, y, wide, high] = drawing.nodes[node].box;
    for (const [name, value] of Object.entries({ x, y, wide, high })) monitor.style.setProperty(`--${name}`, `${value}px`);
    const near = (/** @type {boolean} */ on) => () => {
      for (const arrow of arrows) {
        if (arrow.parent === node || arrow.child === node) arrow.line.classList.toggle("near", on);
      }
    };
    monitor.addEventListener("pointerenter", near(true));
    monitor.addEventListener("pointerleave", near(false));
    monitor.addEventListener("focusin", near(true));
    monitor.addEventListener("focusout", near(false));
  });

  let zoom = 1;
  /** @param {number} wanted */
  function setZoom(wanted) {
    zoom = Math.min(Math.max(wanted, SMALLEST), LARGEST);
    canvas.style.setProperty("--zoom", String(zoom));
    canvas.style.setProperty("--wide", `${width * zoom + 2 * MARGIN}px`);
    canvas.style.setProperty("--high", `${height * zoom + 2 * MARGIN}px`);
  }

  function makeZoom() {
    const button = (/** @type {string} */ sign, /** @type {string} */ label, /** @type {() => void} */ act) => {
      const made = make("button", { type: "button", "aria-label": label, title: label }, sign);
      made.addEventListener("click", act);
      return made;
    };
    return make(
      "div",
      { class: "zoom", role: "group", "aria-label": "Size" },
      button("−", "Smaller", () => setZoom(zoom / 1.2)),
      button("+", "Larger", () => setZoom(zoom * 1.2)),
      button("Fit", "Fit to the window", fit),
    );
  }

  function fit() {
    const high = (window.innerHeight * HEIGHT_SHARE - 2 * MARGIN) / height;
    setZoom(Math.min((frame.clientWidth - 2 * MARGIN) / width, Math.max(1, high)));
  }

  return {
    element,
    /** As much of it as can be read. */
    begin() {
      fit();
      setZoom(Math.max(zoom, READABLE));
    },
    /** Arrows as something about each says: a class, and words for who points at it. @param {(parent: number, child: number) => {look: string, title: string}} say */
    paint(say) {
      for (const { parent, child, line } of arrows) {
        const { look, title } = say(parent, child);
        line.setAttribute("class", `arrow ${look}`);
        line.replaceChildren(...(title ? [draw("title", {}, title)] : []));
      }
    },
    /** @param {boolean} on */
    asList: (on) => element.classList.toggle("as-list", on),
    /** @param {number} node */
    show(node) {
      for (const monitor of monitors) monitor.classList.toggle("asked", monitor === monitors[node]);
      const box = monitors[node].getBoundingClientRect();
      const around = frame.getBoundingClientRect();
      const seen = box.left >= around.left && box.right <= around.right && box.top >= around.top && box.bottom <= around.bottom;
      if (seen || element.classList.contains("as-list")) return;
      frame.scrollBy({ left: box.left - around.left - around.width / 2, top: box.top - around.top - around.height / 3 });
    },
  };
}

/** @param {string} id */
function arrowHead(id) {
  const size = { id, viewBox: "0 0 8 8", refX: "7", refY: "4", markerWidth: "9", markerHeight: "9", orient: "auto", markerUnits: "userSpaceOnUse" };
  return draw("marker", size, draw("path", { d: "M0 0.6 7.5 4 0 7.4Z", class: id }));
}
