// @ts-check
// Curves over epsilon, both axes in logarithms, with a line at the epsilon that is chosen. The same numbers stand in a table beside.
import { draw, make } from "./elements.js";
import { plainNumber } from "./words.js";

const WIDTH = 680;
const HEIGHT = 300;
const LEFT = 62;
const RIGHT = 186;
const TOP = 14;
const BOTTOM = 34;
const APART = 15;

/** @typedef {{name: string, values: (number | null)[]}} Curve */

/**
 * @param {number[]} epsilons @param {Curve[]} curves
 * @param {{words: string, value: number}[]} floors Levels that matter, such as what no epsilon can beat.
 * @param {string} label What goes up.
 */
export function makeChart(epsilons, curves, floors, label) {
  const all = [...curves.flatMap(({ values }) => values), ...floors.map(({ value }) => value)].filter((value) => value !== null && value > 0).map(Number);
  const [low, high] = [Math.log(Math.min(...all) * 0.9), Math.log(Math.max(...all) * 1.1)];
  const across = (/** @type {number} */ epsilon) =>
    LEFT + ((Math.log(epsilon) - Math.log(epsilons[0])) / Math.log(epsilons[epsilons.length - 1] / epsilons[0])) * (WIDTH - LEFT - RIGHT);
  const up = (/** @type {number} */ value) => HEIGHT - BOTTOM - ((Math.log(Math.max(value, 1e-12)) - low) / (high - low || 1)) * (HEIGHT - TOP - BOTTOM);
  const lines = curves.map(({ name, values }, number) => {
    const points = values.flatMap((value, place) => (value === null || value <= 0 ? [] : [`${across(epsilons[place]).toFixed(1)},${up(value).toFixed(1)}`]));
    return { name, line: draw("polyline", { points: points.join(" "), class: `curve curve-${number % 7}` }) };
  });
  const ends = curves.map(({ name, values }, number) => ({ name, number, y: up(values.filter((value) => value !== null).at(-1) ?? 1) })).sort((one, other) => one.y - other.y);
  ends.forEach((end, place) => {
    if (place) end.y = Math.max(end.y, ends[place - 1].y + APART);
  });
  const over = Math.max(0, (ends.at(-1)?.y ?? 0) - (HEIGHT - BOTTOM));
  const names = ends.map(({ name, number, y }) => draw("text", { x: String(WIDTH - RIGHT + 8), y: (y - over + 4).toFixed(1), class: `label curve-${number % 7}` }, name));
  const marker = draw("line", { y1: String(TOP), y2: String(HEIGHT - BOTTOM), class: "marker" });
  const svg = draw(
    "svg",
    { class: "chart", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, "aria-hidden": "true" },
    ...makeGrid(epsilons, Math.exp(low), Math.exp(high), across, up),
    ...floors.map(({ value }) => draw("line", { x1: String(LEFT), x2: String(WIDTH - RIGHT), y1: up(value).toFixed(1), y2: up(value).toFixed(1), class: "floor" })),
    ...floors.map(({ words, value }) => draw("text", { x: String(LEFT + 6), y: (up(value) - 5).toFixed(1), class: "label quiet" }, words)),
    ...lines.map(({ line }) => line),
    marker,
    ...names,
  );
  return {
    element: make("figure", { class: "charted" }, make("figcaption", { class: "quiet" }, label), svg),
    /** @param {number} place @param {string | null} taken The curve that stands out. */
    update(place, taken) {
      for (const [name, value] of Object.entries({ x1: across(epsilons[place]), x2: across(epsilons[place]) })) marker.setAttribute(name, value.toFixed(1));
      for (const { name, line } of lines) line.classList.toggle("taken", name === taken);
    },
  };
}

/** Lines and numbers of both axes. @param {number[]} epsilons @param {number} low @param {number} high @param {(value: number) => number} across @param {(value: number) => number} up */
function makeGrid(epsilons, low, high, across, up) {
  const tens = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power++) tens.push(...[1, 2, 5].map((digit) => digit * 10 ** power));
  const inside = tens.filter((value) => value >= low && value <= high);
  const kept = inside.length > 7 ? inside.filter((value) => /^1/.test(value.toExponential())) : inside;
  const ticks = [0.01, 0.1, 1, 10].filter((value) => value >= epsilons[0] && value <= epsilons[epsilons.length - 1]);
  return [
    ...kept.flatMap((value) => {
      const y = up(value).toFixed(1);
      return [draw("line", { x1: String(LEFT), x2: String(WIDTH - RIGHT), y1: y, y2: y, class: "grid" }), draw("text", { x: String(LEFT - 8), y: String(Number(y) + 4), class: "tick end" }, plainNumber(value))];
    }),
    ...ticks.map((value) => draw("text", { x: across(value).toFixed(1), y: String(HEIGHT - BOTTOM + 18), class: "tick middle" }, `\u03b5 = ${value}`)),
  ];
}
