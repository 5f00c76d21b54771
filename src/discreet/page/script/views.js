// @ts-check
// Which view of a network is open: its graph, the same as a list, or something else that the page has.
import { make } from "./elements.js";

const NARROW = 720;

/**
 * @param {ReturnType<typeof import("./graph.js").makeGraph>} graph
 * @param {{name: string, element: HTMLElement}[]} further
 * @param {boolean} listed Whether there is something to list.
 * @param {[string, string][]} keys What the colours mean: class and words.
 */
export function makeViews(graph, further, listed, keys) {
  const names = ["Graph", ...(listed ? ["List"] : []), ...further.map((view) => view.name)];
  const buttons = names.map((name) => make("button", { type: "button", "aria-pressed": "false" }, name));
  /** @param {string} name */
  function open(name) {
    buttons.forEach((button, place) => button.setAttribute("aria-pressed", String(names[place] === name)));
    for (const view of further) view.element.hidden = view.name !== name;
    graph.element.hidden = name !== "Graph" && name !== "List";
    graph.asList(name === "List");
    if (name === "Graph") graph.begin();
  }
  buttons.forEach((button, place) => button.addEventListener("click", () => open(names[place])));
  const legend = make("p", { class: "legend" }, ...keys.map(([look, words]) => make("span", {}, make("span", { class: `key ${look}` }), words)));
  const bar = make("div", { class: "views" }, make("div", { class: "tabs", role: "group", "aria-label": "View" }, ...buttons), legend);
  return {
    element: make("div", {}, bar, graph.element, ...further.map((view) => view.element)),
    begin: () => open(window.innerWidth < NARROW && listed ? "List" : "Graph"),
  };
}
