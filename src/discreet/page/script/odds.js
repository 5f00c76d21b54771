// @ts-check
// How much somebody who knows all other records can come to think about one person, at the worst.
import { make } from "./elements.js";

const BEFORE = /** @type {[number, string][]} */ ([
  [0.5, "as likely as not"],
  [0.1, "one in ten"],
  [0.001, "one in a thousand"],
]);

export function makeOdds() {
  const cells = BEFORE.map(() => make("td", { class: "number" }));
  const rows = BEFORE.map(([, words], place) => make("tr", {}, make("th", { scope: "row" }, words), cells[place]));
  const head = make("tr", {}, make("th", { scope: "col" }, "what was"), make("th", { scope: "col", class: "number" }, "becomes at most"));
  return {
    element: make("table", { class: "odds" }, make("thead", {}, head), make("tbody", {}, ...rows)),
    /** @param {number | null} factor */
    update(factor) {
      BEFORE.forEach(([chance], place) => {
        cells[place].textContent = factor === null ? "certain" : upwards((chance * factor) / (1 - chance + chance * factor));
      });
    },
  };
}

/** Rounded up, and never to certainty. @param {number} chance */
function upwards(chance) {
  const digits = chance > 0.99 ? 1000 : 10;
  return chance > 0.99999 ? "> 99.999\u00a0%" : `${Math.ceil(100 * chance * digits - 1e-9) / digits}\u00a0%`;
}
