// @ts-check
// The smallest epsilon for a question: for the one that the plan was made for, from widths that Python predicted; and for
// whatever is asked in the page, by looking at the simulated records at one epsilon after the other.
import { make } from "./elements.js";

/** @typedef {import("./slider.js").Point} Point */
/** @typedef {{title: string, width: number, sampling: number, smallest: string | null, verdict: string}} PlannedQuestion */

/**
 * The first epsilon whose interval is narrow enough; -1 where none is. Widths fall as epsilon grows.
 * @param {number} count @param {(place: number) => Promise<number | null>} widthAt @param {number} wanted
 */
export async function findSmallest(count, widthAt, wanted) {
  const widest = await widthAt(count - 1);
  if (widest === null || widest > wanted) return -1;
  let [low, high] = [-1, count - 1];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    const width = await widthAt(middle);
    if (width !== null && width <= wanted) high = middle;
    else low = middle;
  }
  return high;
}

/**
 * @param {string} heading @param {string} said @param {number} width What is wanted at first.
 * @param {(wanted: number) => Promise<{words: string, place: number}>} find
 * @param {(place: number) => void} onChoose
 */
export function makeSmallest(heading, said, width, find, onChoose) {
  const wanted = make("input", { type: "number", min: "0.1", max: "100", step: "any" });
  wanted.value = String(Number((100 * width).toPrecision(3)));
  const button = make("button", { type: "submit", class: "plain" }, "Find");
  const answer = make("p", { role: "status" });
  const form = make("form", { class: "smallest" }, make("label", {}, "An interval of ", wanted, " points"), button);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    answer.textContent = "Looking …";
    const { words, place } = await find(wanted.valueAsNumber / 100);
    answer.textContent = words;
    if (place >= 0) onChoose(place);
  });
  const title = make("bdi", {}, heading);
  return { element: make("div", {}, make("h3", {}, title), said ? make("p", {}, said) : null, form, answer), title, answer };
}
