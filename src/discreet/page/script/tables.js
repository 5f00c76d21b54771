// @ts-check
// Every conditional table, each made when it is opened: a row for each level under each configuration of the parents.
import { make, nameOf } from "./elements.js";
import { makeWhisker } from "./monitor.js";
import { betweenWords, figureOf, percent, shareWords } from "./words.js";

const ROWS_AT_ONCE = 240;

/**
 * @param {import("./decode.js").NetworkRelease} release
 * @param {import("./findings.js").Asker} asker
 */
export function makeTables(release, asker) {
  const entries = release.nodes.map((entry, node) => {
    const parents = entry.parents.map((parent) => release.nodes[parent].name);
    const given = parents.length ? ` given ${parents.join(", ")}` : "";
    const body = make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": `Table of ${entry.name}` });
    const details = make("details", { "data-node": entry.name }, make("summary", {}, nameOf(entry.name), make("bdi", { class: "given" }, given)), body);
    details.addEventListener("toggle", () => {
      if (details.open && !body.hasChildNodes()) fillTable(body, release, asker, node);
    });
    return details;
  });
  if (entries.length <= 12) for (const details of entries) details.open = true;
  return make("div", { class: "tables" }, ...entries);
}

/** @param {HTMLElement} body @param {import("./decode.js").NetworkRelease} release @param {import("./findings.js").Asker} asker @param {number} node */
function fillTable(body, release, asker, node) {
  const summary = asker.table(node);
  const entry = release.nodes[node];
  const parents = entry.parents.map((parent) => release.nodes[parent]);
  const headings = [...parents.map((parent) => parent.name), entry.name];
  const ranged = summary.lower.length > 0;
  const split = summary.privacy.length > 0;
  const further = ["probability", ...(ranged ? [`${Math.round(100 * release.interval)} % interval`] : []), ...(split ? ["of it privacy"] : [])];
  const rows = make("tbody");
  const head = make(
    "tr",
    {},
    ...headings.map((heading) => make("th", { scope: "col" }, nameOf(heading))),
    make("th", { scope: "col" }, make("span", { class: "unseen" }, "picture")),
    ...further.map((heading) => make("th", { scope: "col", class: "number" }, heading)),
  );
  const shape = [...parents.map((parent) => parent.levels.length), entry.levels.length];
  const cells = summary.probability.length;
  let shown = 0;
  const more = make("button", { type: "button", class: "more" });
  function showMore() {
    const end = Math.min(shown + ROWS_AT_ONCE, cells);
    for (; shown < end; shown++) rows.append(makeRow(shown));
    more.hidden = shown === cells;
    more.textContent = `Show more: ${cells - shown} of ${cells} rows are left`;
  }
  /** @type {number | null} */
  let rough = null;
  /** @param {number} cell */
  function makeRow(cell) {
    const figure = figureOf(summary, cell);
    if (cell % entry.levels.length === 0) rough = asker.roughRow(node, cell / entry.levels.length);
    const whisker = makeWhisker();
    whisker.update({ middle: figure.probability, lower: figure.lower, upper: figure.upper, privacy: figure.privacy }, null);
    const levels = levelsOf(cell, shape).map((level, axis) => (parents[axis] ?? entry).levels[level]);
    const certain = figure.lower === figure.upper;
    return make(
      "tr",
      { class: cell % entry.levels.length ? "" : "first" },
      ...levels.map((level) => make("td", {}, nameOf(level))),
      make("td", { class: "picture" }, whisker.element),
      make("td", { class: "number" }, percent(figure.probability)),
      ranged ? make("td", { class: "number" }, betweenWords(figure.lower ?? 0, figure.upper ?? 0), rough === null ? null : make("span", { class: "rough", title: `The chains do not agree on it: R-hat ${rough.toFixed(2)}` }, " rough")) : null,
      split ? make("td", { class: "number", title: shareWords(figure.privacy ?? 0) }, certain ? "–" : `${Math.round(100 * (figure.privacy ?? 0))} %`) : null,
    );
  }
  more.addEventListener("click", showMore);
  showMore();
  body.append(make("table", {}, make("thead", {}, head), rows), more);
}

/** The level of each member at a cell. @param {number} cell @param {number[]} shape */
export function levelsOf(cell, shape) {
  const levels = new Array(shape.length);
  let rest = cell;
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    levels[axis] = rest % shape[axis];
    rest = Math.floor(rest / shape[axis]);
  }
  return levels;
}
