// @ts-check
// A network to be asked: monitors in a graph, what is known of a record, the question, its answer and what it is compared with.
// Who answers, a release or a plan, is up to the page that the board stands on.
import { make, nameOf } from "./elements.js";
import { makeGraph } from "./graph.js";
import { certainOf, copyKnown, countKnown, madeImpossible, nameKnown, nothingKnown, sameKnown, toggleKnown } from "./known.js";
import { makeModes } from "./modes.js";
import { makeMonitor } from "./monitor.js";
import { makeRuler } from "./ruler.js";
import { comparisonWords, figureOf, figureWords, knownWords, percent, questionWords } from "./words.js";

/** @typedef {import("./findings.js").Findings} Findings */
/** @typedef {import("./findings.js").Asker} Asker */
/** @typedef {import("./elimination.js").Known} Known */
/**
 * What the page is told after every change: what is asked, and what was found.
 * @typedef {{node: number, level: number, known: Known, base: Known, found: Findings | null}} Shown
 */

/**
 * @param {import("./decode.js").Drawing & import("./decode.js").Declared} network
 * @param {Asker} asker
 * @param {{interval: number, agreement?: {advice: string} | null}} release
 * @param {(shown: Shown) => void} onShow
 */
export function makeBoard(network, asker, release, onShow) {
  const { nodes } = network;
  const { interval } = release;
  let known = nothingKnown();
  let base = nothingKnown();
  const asked = { node: firstAsked(nodes), level: 0 };
  /** @type {Findings | null} */
  let before = null;
  /** @type {Findings | null} */
  let current = null;
  let turn = 0;

  const modes = makeModes(network.causes);
  const monitors = nodes.map((entry, node) =>
    makeMonitor({
      name: entry.name,
      levels: network.wide ? [] : entry.levels,
      interval,
      onPick: (level) => pick(node, level),
      onTitle: () => ask(node, 0),
    }),
  );
  const graph = makeGraph(network, monitors.map((monitor) => monitor.element));
  const question = makeQuestion(nodes, ask);
  const chips = make("div", { class: "chips", role: "group", "aria-label": "Known" });
  const sentence = make("p", { class: "sentence", "aria-live": "polite" });
  const comparison = make("p", { class: "comparison" });
  const caution = make("p", { class: "caution" });
  const ruler = makeRuler();
  const others = make("p", { class: "quiet", hidden: true }, "This network is wide: bars are shown for all nodes, and the interval of the node that is asked about.");
  const notice = make("p", { class: "notice", role: "status" });
  const keep = make("button", { type: "button", class: "plain" }, "Compare with this");
  keep.addEventListener("click", () => compareWith(copyKnown(known)));
  // The answer stays in sight while the rest is scrolled.
  const answer = make("div", { class: "answer" }, chips, sentence, ruler.element, comparison, caution, others, notice);
  const asking = make("div", { class: "asking" }, ...(network.wide ? [make("p", {}, network.wide)] : [make("div", { class: "ask" }, ...question.parts, keep), modes.element]));
  const panel = make("section", { class: "question", "aria-label": "Question" }, asking, network.wide ? null : answer);

  /** Observe or set a level, or take it back; what turns out to be impossible is not done. @param {number} node @param {number} level */
  async function pick(node, level) {
    if (modes.undecided) {
      notice.textContent = "Nothing was set: first say whether these arrows are causes, or choose Observe.";
      return;
    }
    const wanted = toggleKnown(known, node, level, modes.setting);
    const lost = madeImpossible(network.impossible, wanted);
    if (lost) {
      const words = lost[1].map(([other, place]) => `${nodes[other].name} = ${nodes[other].levels[place]}`).join(", ");
      notice.textContent = `Setting this would make what is declared impossible (${words}), and nothing is known about that.`;
      return;
    }
    const earlier = known;
    known = wanted;
    if ((await refresh()) !== "impossible") return;
    known = earlier;
    const said = knownWords(nameKnown(nodes, known)).join(", ");
    show();
    notice.textContent = `${nodes[node].name} = ${nodes[node].levels[level]} is impossible${said ? ` where ${said}` : ""}; it was not set.`;
  }

  /** @param {number} node @param {number} level */
  function ask(node, level) {
    Object.assign(asked, { node, level });
    const missing = [current, before].some((found) => found !== null && found.drawn.some((each) => each !== null) && found.drawn[node] === null);
    if (missing) refresh();
    else show();
  }

  /** @param {Known} other */
  async function compareWith(other) {
    base = other;
    before = null;
    await refresh();
  }

  async function refresh() {
    const mine = ++turn;
    notice.textContent = "";
    showChips();
    const goOn = (/** @type {number} */ done) => {
      if (mine === turn) notice.textContent = `Computing intervals … ${Math.round(100 * done)} %`;
      return mine === turn;
    };
    const found = await asker.ask(known, asked.node, goOn, (first) => {
      if (mine !== turn) return;
      current = first;
      show();
    });
    if (found === null || mine !== turn) return "outdated";
    if (found === "impossible") return found;
    current = found;
    if (sameKnown(known, base)) before = found;
    else if (before === null || before.drawn[asked.node] === null) {
      const earlier = await asker.ask(base, asked.node, goOn);
      if (earlier === null || mine !== turn) return "outdated";
      before = earlier === "impossible" ? null : earlier;
    }
    notice.textContent = "";
    show();
    return "done";
  }

  function show() {
    showChips();
    question.update(asked.node, asked.level);
    graph.show(asked.node);
    for (const [node, monitor] of monitors.entries()) {
      const made = known.made.has(node);
      monitor.element.classList.toggle("observed", known.seen.has(node) || made);
      monitor.element.classList.toggle("made", made);
    }
    if (current !== null) showFindings(current);
    onShow({ ...asked, known, base, found: current });
  }

  /** @param {Findings} found */
  function showFindings(found) {
    const compared = before !== null && !sameKnown(known, base);
    found.summaries.forEach((summary, node) => {
      const figures = nodes[node].levels.map((_, level) => figureOf(summary, level));
      const certain = certainOf(known, node);
      const earlier = compared && before !== null && certain === null ? [...before.summaries[node].probability] : null;
      monitors[node].update(figures, earlier, certain, found.rough[node] !== null);
    });
    const { node, level } = asked;
    const certain = certainOf(known, node);
    const figure = figureOf(found.summaries[node], level);
    const earlier = compared && before !== null ? before.summaries[node].probability[level] : null;
    sentence.textContent = certain ? `${nodes[node].name} = ${nodes[node].levels[certain.level]} is ${certain.word}.` : sentenceOf(figure, earlier);
    ruler.update(figure, earlier);
    const shared = compared && before !== null && certain === null && certainOf(base, node) === null;
    comparison.textContent = shared && before !== null ? `${comparedWith(earlier ?? 0)}: ${comparisonWords(asker.compare(found, before, node, level), interval)}` : "";
    others.hidden = !(found.drawn.includes(null) && found.drawn.some((drawn) => drawn !== null));
    const rough = certain === null ? found.rough[node] : null;
    caution.textContent = rough === null ? "" : `The chains do not agree on this answer (R-hat ${Number.isFinite(rough) ? rough.toFixed(3) : "infinite"}): take the interval as rough. ${release.agreement?.advice ?? ""}`;
  }

  /** @param {import("./words.js").Figure} figure @param {number | null} earlier */
  function sentenceOf(figure, earlier) {
    const asking = questionWords(nodes[asked.node].name, nodes[asked.node].levels[asked.level], nameKnown(nodes, known, asked.node));
    return `${asking} = ${figureWords(figure, interval)}.${earlier === null || countKnown(base) ? "" : ` Before: ${percent(earlier)}.`}`;
  }

  /** @param {number} earlier */
  function comparedWith(earlier) {
    const words = knownWords(nameKnown(nodes, base)).join(", ");
    return words ? `Against ${percent(earlier)} given ${words}` : "Against before";
  }

  function showChips() {
    const chip = (/** @type {number} */ node, /** @type {number} */ level, /** @type {string} */ look) => {
      const label = `Undo ${nodes[node].name} = ${nodes[node].levels[level]}`;
      const words = [nameOf(nodes[node].name), " = ", nameOf(nodes[node].levels[level]), cross()];
      const made = make("button", { type: "button", class: `chip ${look}`, "aria-label": label }, ...words);
      made.addEventListener("click", () => {
        known = toggleKnown(known, node, level, false);
        refresh();
      });
      return made;
    };
    const seen = [...known.seen].map(([node, level]) => chip(node, level, ""));
    const made = [...known.made].map(([node, level]) => chip(node, level, "made"));
    const all = seen.length + made.length > 1 ? [makeClear("Undo all", () => (known = nothingKnown()))] : [];
    const words = knownWords(nameKnown(nodes, base)).join(", ");
    const against = words ? ["Compared with ", makeClear(words, () => ((base = nothingKnown()), (before = null)), true)] : [];
    chips.replaceChildren(...(seen.length ? ["Observed: ", ...seen] : []), ...(made.length ? ["Set: ", ...made] : []), ...all, ...against);
    keep.hidden = sameKnown(known, base);
  }

  /** @param {string} words @param {() => void} act @param {boolean} [crossed] */
  function makeClear(words, act, crossed = false) {
    const clear = make("button", { type: "button", class: "chip clear", "aria-label": crossed && `Stop comparing with ${words}` }, make("bdi", {}, words), crossed ? cross() : null);
    clear.addEventListener("click", () => {
      act();
      refresh();
    });
    return clear;
  }

  /** Ask anew: what stands behind the answers has changed. */
  function recompute() {
    before = null;
    return refresh();
  }

  return { panel, graph, show, refresh, recompute };
}

function cross() {
  return make("span", { "aria-hidden": "true" }, " ×");
}

/** A node in the middle of things: one that has parents and children. @param {import("./decode.js").NodeEntry[]} nodes */
function firstAsked(nodes) {
  const parents = new Set(nodes.flatMap((entry) => entry.parents));
  const found = nodes.findIndex((entry, node) => entry.parents.length > 0 && parents.has(node));
  return Math.max(found, 0);
}

/** @param {import("./decode.js").NodeEntry[]} nodes @param {(node: number, level: number) => void} ask */
function makeQuestion(nodes, ask) {
  const options = nodes.map((entry, node) => make("option", { value: String(node) }, entry.name));
  const node = make("select", { "aria-label": "Node to ask about" }, ...options);
  const level = make("select", { "aria-label": "Level to ask about" });
  let listed = -1;
  node.addEventListener("change", () => ask(Number(node.value), 0));
  level.addEventListener("change", () => ask(Number(node.value), Number(level.value)));
  return {
    parts: [make("span", {}, "How probable is"), node, "=", level],
    /** @param {number} asked @param {number} chosen */
    update(asked, chosen) {
      if (listed !== asked) {
        listed = asked;
        level.replaceChildren(...nodes[asked].levels.map((name, place) => make("option", { value: String(place) }, name)));
      }
      node.value = String(asked);
      level.value = String(chosen);
    },
  };
}
