// @ts-check
// The page of a network's release: the board, its tables, what must be said of the release, and how to go on.
import { makeAbout, makeCode, makeHeader } from "./about.js";
import { makeBoard } from "./board.js";
import { make } from "./elements.js";
import { makeAsker } from "./findings.js";
import { countKnown, nameKnown, numberLevels, sameKnown } from "./known.js";
import { WHISKER_KEYS } from "./monitor.js";
import { makeTables } from "./tables.js";
import { makeViews } from "./views.js";
import { commandLine, figureOf, pythonCode, shellWord } from "./words.js";

/** @typedef {import("./decode.js").NetworkRelease} NetworkRelease */
/** @typedef {Record<string, string>} Levels */

const KEYS = /** @type {[string, string][]} */ ([
  ...WHISKER_KEYS,
  ["before", "what it is compared with"],
]);

/** Of probabilities that were fitted to noisy pairs nobody can tell the two apart. */
const FITTED_KEYS = /** @type {[string, string][]} */ ([
  ["sampling", "open because of sampling and privacy, which probabilities fitted to pairs do not tell apart"],
  ["before", "what it is compared with"],
]);

/** @param {NetworkRelease} release @param {HTMLElement} page */
export async function showNetwork(release, page) {
  const asker = makeAsker(release);
  const { nodes } = release;
  const goOn = make("div");
  const board = makeBoard(release, asker, release, ({ node, known, base }) => {
    const against = countKnown(base) && !sameKnown(known, base) ? nameKnown(nodes, base, node) : null;
    const question = { node: nodes[node].name, known: nameKnown(nodes, known, node), against, causes: release.causes === null };
    goOn.replaceChildren(makeCode("in Python", pythonCode(release.file, question)), makeCode("with the command", commandLine(release.file, question)), ...makeSynthetic(release));
    board.graph.paint((_, child) => ({ look: known.made.has(child) ? "cut" : "", title: "" }));
  });
  const views = makeViews(board.graph, [{ name: "Tables", element: makeTables(release, asker) }], { count: nodes.length, listed: release.wide === null }, release.fitted ? FITTED_KEYS : KEYS);
  page.append(makeHeader(release), board.panel, make("div", { class: "columns" }, make("main", {}, views.element), makeAbout(release, goOn)));
  views.begin();
  board.show();
  if (!release.wide) await board.refresh();
  return makeConsole(release, asker);
}

/** Which synthetic records to draw, where draws of the parameters tell how unsure these are. @param {NetworkRelease} release */
function makeSynthetic(release) {
  if (!release.outer) return [];
  return [
    makeCode("synthetic records", `discreet sample ${shellWord(release.file)} --datasets 20 --rows 1000 -o synthetic.csv`),
    make("p", { class: "quiet" }, "Each of these sets has its own draw of the parameters: analyse each by itself and join the results with dc.combine. A single set, without --datasets, is to look at: intervals computed from it are too narrow."),
  ];
}

/** What the console, and tests, can ask: levels by name in, figures by name out. @param {NetworkRelease} release @param {import("./findings.js").Asker} asker */
function makeConsole(release, asker) {
  const { nodes } = release;
  const find = (/** @type {Levels} */ given, /** @type {Levels} */ set = {}, asked = 0) =>
    asker.ask({ seen: numberLevels(nodes, given), made: numberLevels(nodes, set) }, asked);
  return {
    /** @param {Levels} given @param {Levels} [set] @param {string} [asked] */
    async ask(given, set = {}, asked) {
      const found = await find(given, set, nodes.findIndex(({ name }) => name === asked));
      if (found === null || found === "impossible") return found;
      const figures = (/** @type {number} */ node) =>
        Object.fromEntries(nodes[node].levels.map((level, place) => [level, { ...figureOf(found.summaries[node], place), rough: found.rough[node] }]));
      return Object.fromEntries(nodes.map((entry, node) => [entry.name, figures(node)]));
    },
    /** @param {string} asked @param {{given: Levels, set: Levels}} one @param {{given: Levels, set: Levels}} other */
    async compare(asked, one, other) {
      const node = nodes.findIndex(({ name }) => name === asked);
      const [first, second] = [await find(one.given, one.set, node), await find(other.given, other.set, node)];
      if (first === null || second === null || first === "impossible" || second === "impossible") return null;
      return Object.fromEntries(nodes[node].levels.map((level, place) => [level, asker.compare(first, second, node, place)]));
    },
  };
}
