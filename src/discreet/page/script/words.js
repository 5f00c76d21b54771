// @ts-check
// Numbers and sentences. Names are never changed here: who shows them escapes them.

/** @param {number} probability @returns {string} As per cent, without rounding what is possible to impossible. */
export function percent(probability) {
  return `${bare(probability)}\u00a0%`;
}

/** @param {number} probability */
function bare(probability) {
  const value = 100 * probability;
  if (!(value > 0)) return "0";
  if (value < 0.001) return "< 0.001";
  if (value < 0.995) return value.toFixed(value < 0.1 ? 3 : 2);
  if (value < 99.95) return value.toFixed(1);
  if (value < 99.9995) return value.toFixed(value < 99.995 ? 2 : 3);
  return value < 100 ? "> 99.999" : "100";
}

/** @param {number} lower @param {number} upper @returns {string} "8.1 to 11.7 %" */
export function betweenWords(lower, upper) {
  return `${bare(lower)} to ${percent(upper)}`;
}

/** @param {number} value @param {number} places */
function trimmed(value, places) {
  return value.toFixed(places).replace(/\.?0+$/, "");
}

const FRACTIONS = /** @type {[number, string][]} */ ([
  [1 / 4, "a quarter"],
  [1 / 3, "a third"],
  [1 / 2, "half"],
  [2 / 3, "two thirds"],
  [3 / 4, "three quarters"],
]);

/** @param {number} share @returns {string} How much of an interval privacy is. */
export function shareWords(share) {
  if (share < 0.02) return "hardly any of the width is privacy";
  if (share > 0.98) return "nearly all of the width is privacy";
  const near = FRACTIONS.find(([fraction]) => Math.abs(share - fraction) < 0.025);
  return `${near ? near[1] : `${Math.round(100 * share)}\u00a0%`} of the width is privacy`;
}

/**
 * What is known about one probability.
 * @typedef {{probability: number, lower?: number, upper?: number, privacy?: number}} Figure
 */

/** @param {import("./summary.js").Summary} summary @param {number} entry @returns {Figure} */
export function figureOf(summary, entry) {
  return {
    probability: summary.probability[entry],
    ...(summary.lower.length ? { lower: summary.lower[entry], upper: summary.upper[entry] } : {}),
    ...(summary.privacy.length ? { privacy: summary.privacy[entry] } : {}),
  };
}

/** @param {Figure} figure @param {number} interval @returns {string} "9.8 %, 90 % between 8.1 and 11.7 %; a third ..." */
export function figureWords(figure, interval) {
  const between =
    figure.lower === undefined || figure.upper === undefined
      ? ""
      : `, ${trimmed(100 * interval, 2)}\u00a0% between ${bare(figure.lower)} and ${percent(figure.upper)}`;
  const certain = figure.lower === figure.upper;
  return `${percent(figure.probability)}${between}${figure.privacy === undefined || certain ? "" : `; ${shareWords(figure.privacy)}`}`;
}

/** Nodes with their levels, by name: those that are seen, and those that are set. @typedef {{given: [string, string][], set: [string, string][]}} Named */

const LEFTWARDS = /[\u0590-\u08ff\ufb1d-\ufefc]/;

/** A name within a sentence. One that is written from right to left is kept apart, so that it moves nothing around it. @param {string} name */
export function inSentence(name) {
  return LEFTWARDS.test(name) ? `\u2068${name}\u2069` : name;
}

/** @param {Named} known @returns {string[]} "smoke = yes", "do(dust = no)" */
export function knownWords({ given, set }) {
  const said = (/** @type {[string, string]} */ [node, level]) => `${inSentence(node)} = ${inSentence(level)}`;
  return [...given.map(said), ...set.map((each) => `do(${said(each)})`)];
}

/** @param {string} node @param {string} level @param {Named} known @returns {string} "P(lung = yes | smoke = yes)" */
export function questionWords(node, level, known) {
  const words = knownWords(known).join(", ");
  return `P(${inSentence(node)} = ${inSentence(level)}${words ? ` | ${words}` : ""})`;
}

const SAME = 5e-6;

/** @param {import("./summary.js").Comparison} found @param {number} interval @returns {string} "+4.3 points, 90 % between ..." */
export function comparisonWords({ difference, ratio, privacy }, interval) {
  const { value, lower, upper } = difference;
  const ranged = lower !== undefined && upper !== undefined;
  if (Math.max(Math.abs(value), Math.abs(lower ?? 0), Math.abs(upper ?? 0)) < SAME) return "no difference.";
  const level = `${trimmed(100 * interval, 2)}\u00a0%`;
  const reach = ranged ? `, ${level} between ${points(lower)} and ${points(upper)}; ${privacy === undefined ? "" : shareWords(privacy)}` : "";
  const said = `${points(value)} points${reach.replace(/; $/, "")}.`;
  if (!Number.isFinite(ratio.value) || ratio.value === 0) return said;
  const times = ratio.lower === undefined || ratio.upper === undefined ? "" : ` (${timesWords(ratio.lower)} to ${timesWords(ratio.upper)})`;
  return `${said} ${timesWords(ratio.value)} times as probable${times}.`;
}

/** @param {number} value A difference of probabilities, in points of per cent. */
function points(value) {
  if (Math.abs(value) < SAME) return "0";
  return `${value < 0 ? "\u2212" : "+"}${bare(Math.max(Math.abs(value), 1e-5))}`;
}

/** @param {number} ratio */
function timesWords(ratio) {
  return Number.isFinite(ratio) ? String(Number(ratio.toPrecision(3))) : "any number";
}

/** @param {string} text As the shell reads it back. */
export function shellWord(text) {
  return /^[\w.,:=@%+/-]+$/.test(text) && !text.startsWith("-") ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** What is asked: of one node, given what is known, and perhaps against what is known otherwise. @typedef {{node: string, known: Named, against: Named | null, causes: boolean}} Asked */

/** @param {string} file @param {Asked} asked */
export function pythonCode(file, { node, known, against, causes }) {
  const mapping = (/** @type {[string, string][]} */ levels) =>
    `{${levels.map(([other, level]) => `${JSON.stringify(other)}: ${JSON.stringify(level)}`).join(", ")}}`;
  const part = (/** @type {string} */ name, /** @type {[string, string][]} */ one, /** @type {[string, string][] | null} */ other) => {
    if (!one.length && !other?.length) return "";
    return `, ${name}=${other === null || mapping(one) === mapping(other) ? mapping(one) : `(${mapping(one)}, ${mapping(other)})`}`;
  };
  const words = part("given", known.given, against && against.given) + part("do", known.set, against && against.set);
  const allowed = causes || !(known.set.length || against?.set.length) ? "" : ", arrows_are_causes=True";
  return [
    "import discreet as dc",
    "",
    `posterior = dc.load(${JSON.stringify(file)}).posterior`,
    `print(posterior.${against === null ? "query" : "compare"}(${JSON.stringify(node)}${words}${allowed}))`,
  ].join("\n");
}

/** The command compares levels of the same nodes; other comparisons are for Python. @param {string} file @param {Asked} asked */
export function commandLine(file, { node, known, against, causes }) {
  const options = (/** @type {string} */ name, /** @type {[string, string][]} */ levels) =>
    levels.map(([other, level]) => ` --${name} ${shellWord(`${other}=${level}`)}`).join("");
  const others = new Map(against === null ? [] : [...against.given, ...against.set]);
  const alike = against !== null && sameNodes(known.given, against.given) && sameNodes(known.set, against.set);
  const changed = [...known.given, ...known.set].filter(([other, level]) => others.get(other) !== level).map(([other]) => other);
  const instead = alike ? options("against", changed.map((other) => [other, others.get(other) ?? ""])) : "";
  const allowed = causes || !known.set.length ? "" : " --arrows-are-causes";
  return `discreet query ${shellWord(file)} ${shellWord(node)}${options("given", known.given)}${options("do", known.set)}${instead}${allowed}`;
}

/** @param {[string, string][]} one @param {[string, string][]} other */
function sameNodes(one, other) {
  const nodes = new Set(other.map(([node]) => node));
  return one.length === other.length && one.every(([node]) => nodes.has(node));
}

/** @param {number} value @returns {string} A number in the units of a column. */
export function plainNumber(value) {
  if (value === 0) return "0";
  const size = Math.abs(value);
  return size >= 1e7 || size < 1e-4 ? value.toExponential(3) : String(Number(value.toPrecision(size >= 1000 ? 6 : 4)));
}
