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
  if (value < 1) return trimmed(value, value < 0.1 ? 3 : 2);
  if (value < 99.95) return trimmed(value, 1);
  if (value < 99.9995) return value.toFixed(value < 99.995 ? 2 : 3);
  return value < 100 ? "> 99.999" : "100";
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

/** @param {string} node @param {string} level @param {[string, string][]} given @returns {string} "P(lung = yes | smoke = yes)" */
export function questionWords(node, level, given) {
  const known = given.map(([other, value]) => `${other} = ${value}`).join(", ");
  return `P(${node} = ${level}${known ? ` | ${known}` : ""})`;
}

/** @param {string} text As the shell reads it back. */
export function shellWord(text) {
  return /^[\w.,:=@%+/-]+$/.test(text) && !text.startsWith("-") ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** @param {string} file @param {string} node @param {[string, string][]} given */
export function pythonCode(file, node, given) {
  const known = given.map(([other, level]) => `${JSON.stringify(other)}: ${JSON.stringify(level)}`).join(", ");
  return [
    "import discreet as dc",
    "",
    `posterior = dc.load(${JSON.stringify(file)}).posterior`,
    `print(posterior.query(${JSON.stringify(node)}${known ? `, given={${known}}` : ""}))`,
  ].join("\n");
}

/** @param {string} file @param {string} node @param {[string, string][]} given */
export function commandLine(file, node, given) {
  const known = given.map(([other, level]) => ` --given ${shellWord(`${other}=${level}`)}`).join("");
  return `discreet query ${shellWord(file)} ${shellWord(node)}${known}`;
}

/** @param {number} value @returns {string} A number in the units of a column. */
export function plainNumber(value) {
  if (value === 0) return "0";
  const size = Math.abs(value);
  return size >= 1e7 || size < 1e-4 ? value.toExponential(3) : String(Number(value.toPrecision(size >= 1000 ? 6 : 4)));
}
