// @ts-check
// A linear model: its coefficients with whiskers, and a form that predicts.
import { decodeFloats } from "./decode.js";
import { make, nameOf } from "./elements.js";
import { makeAbout, makeCode, makeHeader } from "./about.js";
import { makeLegend, makeWhisker, WHISKER_KEYS } from "./monitor.js";
import { plainNumber, shareWords, shellWord } from "./words.js";

/** @typedef {{name: string, low: number, high: number}} Column */
/** @typedef {{name: string, mean: number, lower: number | null, upper: number | null, privacy: number | null}} Coefficient */
/**
 * @typedef {object} LinearParts
 * @property {Column} target
 * @property {Column[]} features
 * @property {boolean} intercept
 * @property {Coefficient[]} coefficients
 * @property {number[]} weights
 * @property {string} covariance
 * @property {string} within
 * @property {number | null} noise
 * @property {number} quantile
 */
/** @typedef {import("./decode.js").Release & LinearParts} LinearRelease */
/**
 * @typedef {object} Prediction In the units of the target.
 * @property {number} mean
 * @property {[number, number] | null} credible Where the expected target lies.
 * @property {[number, number] | null} predictive Where the target of one new record will lie.
 * @property {number | null} privacy Which share of the credible interval is privacy.
 */

/** @param {LinearRelease} release */
export function makePredictor(release) {
  const covariance = release.covariance ? decodeFloats(release.covariance) : null;
  const within = release.within ? decodeFloats(release.within) : null;
  const count = release.weights.length;
  const half = release.target.high / 2 - release.target.low / 2;
  const centre = release.target.high / 2 + release.target.low / 2;

  /** @param {number[]} values Of the features; those outside their bounds count as the nearer end. @returns {Prediction} */
  return function predict(values) {
    const scaled = values.map((value, place) => scale(release.features[place], value));
    const vector = (release.intercept ? [1, ...scaled] : scaled).map((value) => value / Math.sqrt(count));
    const middle = vector.reduce((sum, value, place) => sum + value * release.weights[place], 0);
    const mean = centre + half * middle;
    if (covariance === null) return { mean, credible: null, predictive: null, privacy: null };
    const variance = Math.max(form(covariance, vector), 0);
    const around = (/** @type {number} */ squared) => {
      const reach = release.quantile * half * Math.sqrt(squared);
      return /** @type {[number, number]} */ ([mean - reach, mean + reach]);
    };
    return {
      mean,
      credible: around(variance),
      predictive: release.noise === null ? null : around(variance + release.noise ** 2),
      privacy: within === null || variance === 0 ? null : Math.min(Math.max(1 - form(within, vector) / variance, 0), 1),
    };
  };
}

/** @param {Column} column @param {number} value */
function scale(column, value) {
  const inside = Math.min(Math.max(value, column.low), column.high);
  const scaled = (inside - (column.high / 2 + column.low / 2)) / (column.high / 2 - column.low / 2);
  return Math.min(Math.max(scaled, -1), 1);
}

/** x' M x. @param {Float64Array} matrix @param {number[]} vector */
function form(matrix, vector) {
  let sum = 0;
  for (let row = 0; row < vector.length; row++) {
    for (let column = 0; column < vector.length; column++) {
      sum += vector[row] * matrix[row * vector.length + column] * vector[column];
    }
  }
  return sum;
}

/** @param {LinearRelease} release @param {HTMLElement} page */
export function showLinear(release, page) {
  const level = Math.round(100 * release.interval);
  const python = `import discreet as dc\n\nposterior = dc.load(${JSON.stringify(release.file)}).posterior\nprint(posterior.summary())\nposterior.predict("records.csv")`;
  const goOn = make(
    "div",
    {},
    makeCode("in Python", python),
    makeCode("with the command", `discreet predict ${shellWord(release.file)} records.csv`),
  );
  page.append(
    makeHeader(release),
    make(
      "div",
      { class: "columns" },
      make("main", {}, makeForm(release), make("h2", {}, `Coefficients, with ${level} % intervals`), release.covariance ? makeLegend(WHISKER_KEYS) : null, makeCoefficients(release)),
      makeAbout(release, goOn),
    ),
  );
}

/** @param {LinearRelease} release */
function makeCoefficients(release) {
  const rows = release.coefficients.map((each) => {
    const ends = [0, each.mean, each.lower ?? each.mean, each.upper ?? each.mean];
    const low = Math.min(...ends);
    const span = Math.max(...ends) - low || 1;
    const place = (/** @type {number} */ value) => (value - low) / span;
    const whisker = makeWhisker();
    whisker.element.classList.add("free", "zeroed");
    const reach = each.lower === null || each.upper === null ? {} : { lower: place(each.lower), upper: place(each.upper) };
    whisker.update({ middle: place(each.mean), ...reach, privacy: each.privacy ?? undefined }, place(0));
    const between = each.lower === null || each.upper === null ? "–" : `${plainNumber(each.lower)} to ${plainNumber(each.upper)}`;
    const share = each.privacy === null ? "–" : `${Math.round(100 * each.privacy)} %`;
    return make(
      "tr",
      {},
      make("th", { scope: "row" }, nameOf(each.name)),
      make("td", { class: "picture" }, whisker.element),
      make("td", { class: "number" }, plainNumber(each.mean)),
      make("td", { class: "number" }, between),
      make("td", { class: "number" }, share),
    );
  });
  const headings = ["coefficient", "from zero", "mean", "interval", "of it privacy"];
  const head = make("tr", {}, ...headings.map((heading, place) => make("th", { scope: "col", class: place > 1 ? "number" : "" }, heading)));
  return make(
    "div",
    { class: "scroll", tabindex: "0", role: "region", "aria-label": "Coefficients" },
    make("table", {}, make("thead", {}, head), make("tbody", {}, ...rows)),
  );
}

/** @param {LinearRelease} release */
function makeForm(release) {
  const predict = makePredictor(release);
  const inputs = release.features.map((column) => {
    const input = make("input", { type: "number", step: "any", min: String(column.low), max: String(column.high) });
    input.value = String(Number((column.low / 2 + column.high / 2).toPrecision(6)));
    return input;
  });
  const said = make("p", { class: "sentence", "aria-live": "polite" });
  function update() {
    const values = inputs.map((input) => input.valueAsNumber);
    said.replaceChildren(values.some(Number.isNaN) ? "Give a number for every feature." : predictionWords(release, predict(values), values));
  }
  for (const input of inputs) input.addEventListener("input", update);
  update();
  const fields = release.features.map((column, place) =>
    make("label", {}, nameOf(column.name), inputs[place], make("small", {}, `${plainNumber(column.low)} to ${plainNumber(column.high)}`)),
  );
  const form = make("form", { class: "predict", "aria-label": "Predict" }, ...fields);
  form.addEventListener("submit", (event) => event.preventDefault());
  const heading = make("h2", {}, "Predict ", nameOf(release.target.name));
  return make("section", { class: "question", "aria-label": "Prediction" }, make("div", { class: "asking" }, heading, form), make("div", { class: "answer" }, said));
}

/** @param {LinearRelease} release @param {Prediction} found @param {number[]} values */
export function predictionWords(release, found, values) {
  const level = Math.round(100 * release.interval);
  const between = (/** @type {[number, number]} */ [low, high]) => `${level} % between ${plainNumber(low)} and ${plainNumber(high)}`;
  const outside = release.features.filter(({ low, high }, place) => values[place] < low || values[place] > high);
  return [
    `Expected ${release.target.name} = ${plainNumber(found.mean)}`,
    found.credible === null ? "; this release does not say how far off that may be" : `, ${between(found.credible)}`,
    found.privacy === null ? "" : `; ${shareWords(found.privacy)}`,
    found.predictive === null ? "" : `. One new record: ${between(found.predictive)}`,
    ".",
    outside.length ? ` Outside the declared bounds, and taken for the nearer end: ${outside.map(({ name }) => name).join(", ")}.` : "",
  ].join("");
}
