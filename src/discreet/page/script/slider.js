// @ts-check
// The slider over epsilon: what is chosen, what it promises, what it takes, and what it would leave.
import { make } from "./elements.js";

/**
 * @typedef {object} Point One epsilon.
 * @property {string} epsilon
 * @property {string} meaning
 * @property {string | null} remark
 * @property {number | null} factor By what odds can grow at the most.
 * @property {string | null} mechanism The one to take.
 * @property {Record<string, number>} errors
 * @property {string | null} remaining
 * @property {string | null} refused
 * @property {number | null} width
 */

/**
 * @param {Point[]} points @param {number} start
 * @param {{budget: string | null, dataset: string | null}} ledger
 * @param {(point: Point) => string} errorWords
 * @param {(place: number) => void} onChoose
 */
export function makeSlider(points, start, ledger, errorWords, onChoose) {
  const range = make("input", { type: "range", min: "0", max: String(points.length - 1), step: "1", "aria-label": "Epsilon", class: "dial" });
  const value = make("output", { class: "epsilon" });
  const meaning = make("p", { class: "meaning" });
  const remark = make("p", { class: "caution" });
  const error = make("p", { class: "sentence" });
  const left = make("p", { class: "left" });
  const refused = points.findIndex((point) => point.refused !== null);
  if (refused >= 0) range.style.setProperty("--paid", `${((100 * Math.max(refused - 0.5, 0)) / (points.length - 1)).toFixed(1)}%`);
  const ends = make("div", { class: "ends", "aria-hidden": "true" }, make("span", {}, `${points[0].epsilon}: more privacy`), make("span", {}, `less privacy: ${points[points.length - 1].epsilon}`));

  /** @param {number} place */
  function show(place) {
    const point = points[place];
    range.value = String(place);
    range.setAttribute("aria-valuetext", `epsilon ${point.epsilon}${point.refused === null ? "" : ", more than is left"}`);
    value.textContent = `epsilon ${point.epsilon}`;
    meaning.textContent = point.meaning;
    remark.textContent = point.remark ?? "";
    error.textContent = errorWords(point);
    left.textContent = leftWords(point);
    left.classList.toggle("notice", point.refused !== null);
  }

  /** @param {Point} point */
  function leftWords(point) {
    if (ledger.dataset === null) return "";
    if (point.refused !== null) return `The ledger would refuse it: data set ${ledger.dataset} has ${ledger.budget ?? "less"} left.`;
    return point.remaining === null ? `Data set ${ledger.dataset} has no cap.` : `It would leave ${point.remaining} of the ${ledger.budget} that data set ${ledger.dataset} has left.`;
  }

  range.addEventListener("input", () => {
    show(Number(range.value));
    onChoose(Number(range.value));
  });
  show(start);
  const head = make("div", { class: "dialled" }, value, make("div", { class: "ranged-dial" }, range, ends));
  return {
    element: make("section", { class: "slid", "aria-label": "Epsilon" }, head, error, make("div", { "aria-live": "polite" }, meaning, remark, left)),
    /** @param {number} place */
    move(place) {
      show(place);
      onChoose(place);
    },
  };
}
