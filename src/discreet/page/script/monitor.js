// @ts-check
// A monitor: the levels of a node, each a bar with its probability and a whisker for its interval.
//
// The whisker has two parts, in two colours and two widths: the inner one, thick, is what sampling leaves open, the outer one,
// thin, is what privacy adds. Whoever has figures can show them in a monitor: it knows of no network and of no engine.
import { make, nameOf } from "./elements.js";
import { figureWords, percent } from "./words.js";

/** @typedef {import("./words.js").Figure} Figure */
/**
 * @typedef {object} Monitor
 * @property {HTMLElement} element
 * @property {(figures: Figure[], before: number[] | null, certain: Certain | null, rough?: boolean) => void} update
 */
/** The level that is certain, and why: "observed" or "set". @typedef {{level: number, word: string}} Certain */

/**
 * @param {object} about
 * @param {string} about.name
 * @param {string[]} about.levels
 * @param {number} about.interval
 * @param {(level: number) => void} about.onPick Called when a level is clicked.
 * @param {() => void} about.onTitle Called when the title is clicked.
 * @returns {Monitor}
 */
export function makeMonitor({ name, levels, interval, onPick, onTitle }) {
  const title = make("button", { type: "button", class: "title", "aria-label": `Ask about ${name}` }, nameOf(name));
  title.addEventListener("click", onTitle);
  const bars = levels.map((level, place) => makeBar(name, level, interval, () => onPick(place)));
  const list = make("div", { class: "bars", role: "group", "aria-label": name }, ...bars.map((bar) => bar.element));
  rove(list, bars.map((bar) => bar.element));
  const longest = Math.max(2, ...levels.map((level) => level.length));
  list.style.setProperty("--label", `${Math.min(0.62 * longest + 0.8, 7).toFixed(1)}em`);
  return {
    element: make("div", { class: "monitor", "data-node": name }, title, list),
    update(figures, before, certain, rough = false) {
      bars.forEach((bar, place) => {
        bar.update(figures[place], before === null ? null : before[place], certain?.level === place ? certain.word : null, rough);
      });
    },
  };
}

/** What the parts of a whisker mean: class and words. */
export const WHISKER_KEYS = /** @type {[string, string][]} */ ([
  ["sampling", "open because of sampling"],
  ["added", "added by privacy"],
]);

/** @param {[string, string][]} keys */
export function makeLegend(keys) {
  return make("p", { class: "legend" }, ...keys.map(([look, words]) => make("span", {}, make("span", { class: `key ${look}` }), words)));
}

/** A whisker by itself, on a scale from 0 to 1. */
export function makeWhisker() {
  const parts = ["fill", "added", "sampling", "point", "before"].map((part) => make("span", { class: part }));
  const element = make("span", { class: "track", "aria-hidden": "true" }, ...parts);
  return {
    element,
    /** @param {{middle: number, lower?: number, upper?: number, privacy?: number}} place @param {number | null} before */
    update({ middle, lower, upper, privacy }, before) {
      element.classList.toggle("ranged", lower !== undefined && lower !== upper);
      element.classList.toggle("compared", before !== null);
      const low = lower ?? middle;
      const high = upper ?? middle;
      const centre = Math.min(Math.max(middle, low), high);
      const own = 1 - (privacy ?? 0);
      const ends = {
        middle,
        low,
        high,
        "own-low": centre - (centre - low) * own,
        "own-high": centre + (high - centre) * own,
        before: before ?? 0,
      };
      for (const [end, value] of Object.entries(ends)) element.style.setProperty(`--${end}`, value.toFixed(5));
    },
  };
}

/** @param {string} name @param {string} level @param {number} interval @param {() => void} onPick */
function makeBar(name, level, interval, onPick) {
  const whisker = makeWhisker();
  const value = make("span", { class: "value" });
  const element = make(
    "button",
    { type: "button", class: "bar", "aria-pressed": "false", tabindex: "-1" },
    nameOf(level, "level"),
    whisker.element,
    value,
  );
  element.addEventListener("click", onPick);
  return {
    element,
    /** @param {Figure} figure @param {number | null} before @param {string | null} certain @param {boolean} rough */
    update(figure, before, certain, rough) {
      const { probability, ...rest } = figure;
      whisker.update({ middle: probability, ...rest }, before);
      value.textContent = percent(probability);
      element.setAttribute("aria-pressed", String(certain !== null));
      const said = certain ?? `${figureWords(figure, interval)}${rough ? "; a rough interval" : ""}`;
      const earlier = before === null || certain !== null ? "" : `; before ${percent(before)}`;
      element.setAttribute("aria-label", `${name} = ${level}: ${said}${earlier}`);
      element.title = `${level}: ${said}${earlier}`;
    },
  };
}

/** One stop of the tab key for all bars; arrows go from one to the next. @param {HTMLElement} list @param {HTMLElement[]} bars */
function rove(list, bars) {
  if (bars.length) bars[0].tabIndex = 0;
  list.addEventListener("keydown", (event) => {
    const here = bars.indexOf(/** @type {HTMLElement} */ (document.activeElement));
    /** @type {Record<string, number>} */
    const ways = { ArrowDown: here + 1, ArrowUp: here - 1, Home: 0, End: bars.length - 1 };
    const there = bars[ways[event.key] ?? -1];
    if (here < 0 || there === undefined) return;
    event.preventDefault();
    there.focus();
  });
  list.addEventListener("focusin", (event) => {
    for (const bar of bars) bar.tabIndex = bar === event.target ? 0 : -1;
  });
}
