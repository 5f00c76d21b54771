// @ts-check
// A ruler: one probability as if under a lens, so that a narrow interval and what privacy adds to it can be seen.
import { make } from "./elements.js";
import { makeWhisker } from "./monitor.js";
import { percent } from "./words.js";

export function makeRuler() {
  const [low, high] = [make("span"), make("span")];
  const whisker = makeWhisker();
  whisker.element.classList.add("free");
  const element = make("div", { class: "ruler", "aria-hidden": "true" }, low, whisker.element, high);
  return {
    element,
    /** @param {import("./words.js").Figure} figure @param {number | null} before */
    update({ probability, lower, upper, privacy }, before) {
      element.hidden = lower === undefined || upper === undefined || lower === upper;
      if (lower === undefined || upper === undefined) return;
      const ends = [probability, lower, upper, ...(before === null ? [] : [before])];
      const margin = 0.08 * (Math.max(...ends) - Math.min(...ends));
      const from = Math.max(0, Math.min(...ends) - margin);
      const to = Math.min(1, Math.max(...ends) + margin);
      const place = (/** @type {number} */ value) => (to > from ? (value - from) / (to - from) : 0);
      low.textContent = percent(from);
      high.textContent = percent(to);
      const middle = place(probability);
      whisker.update({ middle, lower: place(lower), upper: place(upper), privacy }, before === null ? null : place(before));
    },
  };
}
