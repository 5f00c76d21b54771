// @ts-check
// Which view of a network is open: its graph, a node with those next to it, the same as a list, or something else that the page has.
import { make } from "./elements.js";
import { makeLegend } from "./monitor.js";

const NARROW = 720;
const SMALL = 12;
const LARGE = 40;

/**
 * @param {ReturnType<typeof import("./graph.js").makeGraph>} graph
 * @param {{name: string, element: HTMLElement}[]} further
 * @param {{count: number, listed: boolean}} nodes How many there are, and whether their levels can be shown.
 * @param {[string, string][]} keys What the colours mean: class and words.
 */
export function makeViews(graph, further, { count, listed }, keys) {
  const names = [...(count > SMALL ? ["Neighbours"] : []), "Graph", ...(listed ? ["List"] : []), ...further.map((view) => view.name)];
  const buttons = names.map((name) => make("button", { type: "button", "aria-pressed": "false" }, name));
  const search = make("input", { type: "search", class: "search", placeholder: "Find a node", "aria-label": "Find a node" });
  const narrow = () => window.innerWidth < NARROW;
  const elements = [graph.element, ...further.map((view) => view.element)];

  /** @param {string} name */
  function open(name) {
    const drawn = ["Neighbours", "Graph", "List"].includes(name);
    buttons.forEach((button, place) => button.setAttribute("aria-pressed", String(names[place] === name)));
    for (const view of further) view.element.hidden = view.name !== name;
    graph.element.hidden = !drawn;
    const asList = name === "List" || (name === "Neighbours" && narrow() && listed);
    graph.zoom.hidden = !drawn || asList;
    const searched = name === "List" || further.some((view) => view.name === name && view.element.querySelector("[data-node]"));
    search.hidden = count <= SMALL || !searched;
    if (drawn) graph.open(name === "Neighbours", asList);
    find("");
  }

  /** Leave out whatever has a name without these letters. @param {string} letters */
  function find(letters) {
    search.value = letters;
    for (const named of elements.flatMap((each) => [...each.querySelectorAll("[data-node]")])) {
      const name = named.getAttribute("data-node") ?? "";
      named.classList.toggle("unfound", !name.toLowerCase().includes(letters.toLowerCase()));
    }
  }

  search.addEventListener("input", () => find(search.value));
  buttons.forEach((button, place) => button.addEventListener("click", () => open(names[place])));
  const bar = make("div", { class: "views" }, make("div", { class: "tabs", role: "group", "aria-label": "View" }, ...buttons), search, graph.zoom, makeLegend(keys));
  return {
    element: make("div", {}, bar, ...elements),
    begin() {
      // Where no level can be shown, tables are what there is to see.
      const tables = listed ? undefined : further.find((view) => view.element.querySelector("[data-node]"));
      open(tables?.name ?? (count > LARGE ? "Neighbours" : narrow() && listed ? "List" : "Graph"));
    },
  };
}
