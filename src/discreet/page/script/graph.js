// @ts-check
// The graph: monitors where they were placed, arrows between them, and how large all of it is shown. From afar monitors show
// their names alone. As a list the same monitors stand one after the other: on a phone, on paper, and for who prefers it.
import { layAround } from "./around.js";
import { draw, make } from "./elements.js";

const LARGEST = 2;
const READABLE = 0.62;
const COMFORTABLE = 0.8;
const FAR = 0.46;
const HEIGHT_SHARE = 0.7;
const MARGIN = 24;
const MONITOR = 264;

/**
 * @param {import("./decode.js").Drawing} drawing
 * @param {HTMLElement[]} monitors By node.
 */
export function makeGraph(drawing, monitors) {
  /** @type {import("./around.js").Placed} */
  const whole = { boxes: new Map(drawing.nodes.map((entry, node) => [node, entry.box])), arrows: drawing.arrows, size: drawing.size };
  let placed = whole;
  let around = false;
  let shown = 0;
  let zoom = 1;
  /** @type {(parent: number, child: number) => {look: string, title: string}} */
  let look = () => ({ look: "", title: "" });
  /** @type {{parent: number, child: number, line: SVGPathElement}[]} */
  let arrows = [];
  const lines = draw("svg", { class: "arrows", "aria-hidden": "true" });
  const canvas = make("div", { class: "canvas" }, lines);
  // From top to bottom: the order of the tab key, of the list and of who listens.
  const height = (/** @type {number} */ node) => drawing.nodes[node].box[1] * 1e5 + drawing.nodes[node].box[0];
  for (const node of drawing.nodes.map((_, each) => each).sort((one, other) => height(one) - height(other))) canvas.append(monitors[node]);
  const frame = make("div", { class: "frame", role: "group", tabindex: "0", "aria-label": "The network" }, canvas);
  const element = make("div", { class: "graph" }, frame);

  monitors.forEach((monitor, node) => {
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

  /** Put every monitor where it belongs, and hide those that have no place. @param {import("./around.js").Placed} layout */
  function arrange(layout) {
    placed = layout;
    monitors.forEach((monitor, node) => {
      const box = placed.boxes.get(node);
      monitor.hidden = box === undefined;
      ["x", "y", "wide", "high"].forEach((name, part) => box && monitor.style.setProperty(`--${name}`, `${box[part]}px`));
    });
    arrows = placed.arrows.map(([parent, child, path]) => ({ parent, child, line: draw("path", { d: path, class: "arrow" }) }));
    lines.setAttribute("width", String(placed.size[0]));
    lines.setAttribute("height", String(placed.size[1]));
    lines.replaceChildren(draw("defs", {}, arrowHead("head"), arrowHead("near-head")), ...arrows.map(({ line }) => line));
    repaint();
  }

  function repaint() {
    for (const { parent, child, line } of arrows) {
      const said = look(parent, child);
      const aside = around && parent !== shown && child !== shown;
      line.setAttribute("class", `arrow ${said.look} ${aside ? "aside" : ""}`);
      line.replaceChildren(...(said.title ? [draw("title", {}, said.title)] : []));
    }
  }

  /** Letters of the page are larger on large screens, and the graph with them. */
  const scale = () => parseFloat(getComputedStyle(document.documentElement).fontSize) / 16;
  const fitting = () => (frame.clientWidth - 2 * MARGIN) / placed.size[0];
  const upright = () => (window.innerHeight * HEIGHT_SHARE - 2 * MARGIN) / placed.size[1];

  /** @param {number} wanted */
  function setZoom(wanted) {
    zoom = Math.min(Math.max(wanted, Math.min(fitting(), upright(), READABLE)), LARGEST * scale());
    canvas.classList.toggle("far", zoom < FAR * scale());
    for (const [name, value] of Object.entries({ zoom: String(zoom), scale: String(scale()), wide: `${placed.size[0] * zoom + 2 * MARGIN}px`, high: `${placed.size[1] * zoom + 2 * MARGIN}px` })) {
      canvas.style.setProperty(`--${name}`, value);
    }
  }

  /** As much of it as can be read. */
  function begin() {
    const high = around ? scale() : Math.max(scale(), upright());
    setZoom(Math.max(Math.min(fitting(), high), READABLE * scale()));
  }

  /** @param {number} node */
  function surround(node) {
    arrange(layAround(drawing.nodes, node, Math.max(2, Math.floor((frame.clientWidth - 2 * MARGIN) / (MONITOR * COMFORTABLE * scale())))));
    if (!element.classList.contains("as-list")) begin();
  }

  arrange(whole);
  return {
    element,
    zoom: makeZoom((factor) => setZoom(zoom * factor), () => setZoom(Math.min(fitting(), upright(), scale()))),
    /** Show all of it, or a node and those next to it; as a list or as a graph. @param {boolean} near @param {boolean} listed */
    open(near, listed) {
      around = near;
      element.classList.toggle("as-list", listed);
      if (near) surround(shown);
      else {
        arrange(whole);
        if (!listed) begin();
      }
    },
    /** Arrows as something about each says: a class, and words for who points at it. @param {(parent: number, child: number) => {look: string, title: string}} say */
    paint(say) {
      look = say;
      repaint();
    },
    /** @param {number} node */
    show(node) {
      for (const monitor of monitors) monitor.classList.toggle("asked", monitor === monitors[node]);
      const moved = node !== shown;
      shown = node;
      if (around && moved) surround(node);
      const box = monitors[node].getBoundingClientRect();
      const place = frame.getBoundingClientRect();
      const seen = box.left >= place.left && box.right <= place.right && box.top >= place.top && box.bottom <= place.bottom;
      if (seen || element.classList.contains("as-list")) return;
      frame.scrollBy({ left: box.left - place.left - place.width / 2, top: box.top - place.top - place.height / 3 });
    },
  };
}

/** @param {(factor: number) => void} change @param {() => void} fit */
function makeZoom(change, fit) {
  const button = (/** @type {string} */ sign, /** @type {string} */ label, /** @type {() => void} */ act) => {
    const made = make("button", { type: "button", "aria-label": label, title: label }, sign);
    made.addEventListener("click", act);
    return made;
  };
  return make(
    "div",
    { class: "zoom", role: "group", "aria-label": "Size" },
    button("−", "Smaller", () => change(1 / 1.25)),
    button("+", "Larger", () => change(1.25)),
    button("Fit", "Fit to the window", fit),
  );
}

/** @param {string} id */
function arrowHead(id) {
  const size = { id, viewBox: "0 0 8 8", refX: "7", refY: "4", markerWidth: "9", markerHeight: "9", orient: "auto", markerUnits: "userSpaceOnUse" };
  return draw("marker", size, draw("path", { d: "M0 0.6 7.5 4 0 7.4Z", class: id }));
}
