// @ts-check
// The page of a network: what is observed, what is asked, and all that follows from it.
import { makeAbout, makeCode, makeHeader } from "./about.js";
import { make, nameOf } from "./elements.js";
import { makeEngine } from "./engine.js";
import { makeGraph } from "./graph.js";
import { makeMonitor } from "./monitor.js";
import { makeRuler } from "./ruler.js";
import { makeTables } from "./tables.js";
import { commandLine, figureOf, figureWords, percent, pythonCode, questionWords } from "./words.js";

const NARROW = 720;
const VIEWS = ["Graph", "List", "Tables"];

/** @typedef {import("./decode.js").NetworkRelease} NetworkRelease */
/** @typedef {import("./summary.js").Summary} Summary */

/** @param {NetworkRelease} release @param {HTMLElement} page */
export async function showNetwork(release, page) {
  const engine = makeEngine(release);
  const { nodes } = release;
  /** @type {Map<number, number>} */
  const evidence = new Map();
  const asked = { node: firstAsked(release), level: 0 };
  /** @type {Summary[] | null} */
  let before = null;
  /** @type {Summary[] | null} */
  let current = null;
  let turn = 0;

  const monitors = nodes.map((entry, node) =>
    makeMonitor({
      name: entry.name,
      levels: release.wide ? [] : entry.levels,
      interval: release.interval,
      onPick: (level) => observe(node, evidence.get(node) === level ? undefined : level),
      onTitle: () => ask(node, 0),
    }),
  );
  const graph = makeGraph(release, monitors.map((monitor) => monitor.element));
  const question = makeQuestion(release, ask);
  const chips = make("div", { class: "chips", role: "group", "aria-label": "Observed" });
  const sentence = make("p", { class: "sentence", "aria-live": "polite" });
  const ruler = makeRuler();
  const notice = make("p", { class: "notice", role: "status" });
  const goOn = make("div");
  const views = makeViews(graph, makeTables(release, engine), release.wide !== null);
  page.append(
    makeHeader(release),
    make("section", { class: "question", "aria-label": "Question" }, release.wide ? make("p", {}, release.wide) : question.element, chips, sentence, ruler.element, notice),
    make("div", { class: "columns" }, make("main", {}, views.element), makeAbout(release, goOn)),
  );
  views.open(window.innerWidth < NARROW && !release.wide ? "List" : "Graph");

  /** @returns {[string, string][]} */
  function given() {
    return [...evidence].map(([node, level]) => [nodes[node].name, nodes[node].levels[level]]);
  }

  /** Observe a level, or nothing any more; what turns out to be impossible is taken back. @param {number} node @param {number | undefined} level */
  async function observe(node, level) {
    const earlier = new Map(evidence);
    if (level === undefined) evidence.delete(node);
    else evidence.set(node, level);
    if ((await refresh()) !== "impossible") return;
    evidence.clear();
    for (const [other, value] of earlier) evidence.set(other, value);
    const said = given().map(([other, value]) => `${other} = ${value}`).join(", ");
    notice.textContent = `${nodes[node].name} = ${nodes[node].levels[level ?? 0]} is impossible${said ? ` where ${said}` : ""}; it was not set.`;
    show();
  }

  /** @param {number} node @param {number} level */
  function ask(node, level) {
    Object.assign(asked, { node, level });
    show();
  }

  async function refresh() {
    const mine = ++turn;
    notice.textContent = "";
    showChips();
    const found = await engine.ask(evidence, (done) => {
      if (mine === turn) notice.textContent = `Computing … ${Math.round(100 * done)} %`;
      return mine === turn;
    });
    if (found === null || mine !== turn) return "outdated";
    if (found === "impossible") return "impossible";
    notice.textContent = "";
    current = found;
    if (!evidence.size) before = found;
    show();
    return "done";
  }

  function show() {
    showChips();
    question.update(asked.node, asked.level);
    const said = given().filter(([name]) => name !== nodes[asked.node].name);
    goOn.replaceChildren(
      makeCode("in Python", pythonCode(release.file, nodes[asked.node].name, said)),
      makeCode("with the command", commandLine(release.file, nodes[asked.node].name, said)),
    );
    graph.show(asked.node);
    if (current === null) return;
    const compared = evidence.size > 0 && before !== null;
    current.forEach((summary, node) => {
      const figures = nodes[node].levels.map((_, level) => figureOf(summary, level));
      const earlier = compared && before !== null && !evidence.has(node) ? [...before[node].probability] : null;
      monitors[node].update(figures, earlier, evidence.get(node));
      monitors[node].element.classList.toggle("observed", evidence.has(node));
    });
    sentence.textContent = sentenceOf(current, compared);
    ruler.update(figureOf(current[asked.node], asked.level), compared && before !== null ? before[asked.node].probability[asked.level] : null);
  }

  /** @param {Summary[]} summaries @param {boolean} compared */
  function sentenceOf(summaries, compared) {
    const { node, level } = asked;
    const name = nodes[node].name;
    if (evidence.has(node)) return `${name} = ${nodes[node].levels[evidence.get(node) ?? 0]} is observed.`;
    const words = figureWords(figureOf(summaries[node], level), release.interval);
    const earlier = compared && before !== null ? ` Before: ${percent(before[node].probability[level])}.` : "";
    return `${questionWords(name, nodes[node].levels[level], given())} = ${words}.${earlier}`;
  }

  function showChips() {
    const made = [...evidence].map(([node, level]) => {
      const label = `Undo ${nodes[node].name} = ${nodes[node].levels[level]}`;
      const words = [nameOf(nodes[node].name), " = ", nameOf(nodes[node].levels[level]), make("span", { "aria-hidden": "true" }, " ×")];
      const chip = make("button", { type: "button", class: "chip", "aria-label": label }, ...words);
      chip.addEventListener("click", () => observe(node, undefined));
      return chip;
    });
    const clear = make("button", { type: "button", class: "chip clear" }, "Undo all");
    clear.addEventListener("click", () => {
      evidence.clear();
      refresh();
    });
    chips.replaceChildren(...(made.length ? ["Observed: ", ...made] : []), ...(made.length > 1 ? [clear] : []));
  }

  show();
  if (!release.wide) await refresh();
  return async (/** @type {Record<string, string>} */ known) => answersByName(release, await engine.ask(numbered(release, known)));
}

/** A node in the middle of things: one that has parents and children. @param {NetworkRelease} release */
function firstAsked(release) {
  const parents = new Set(release.nodes.flatMap((entry) => entry.parents));
  const found = release.nodes.findIndex((entry, node) => entry.parents.length > 0 && parents.has(node));
  return Math.max(found, 0);
}

/** @param {NetworkRelease} release @param {(node: number, level: number) => void} ask */
function makeQuestion(release, ask) {
  const options = release.nodes.map((entry, node) => make("option", { value: String(node) }, entry.name));
  const node = make("select", { "aria-label": "Node to ask about" }, ...options);
  const level = make("select", { "aria-label": "Level to ask about" });
  let listed = -1;
  node.addEventListener("change", () => ask(Number(node.value), 0));
  level.addEventListener("change", () => ask(Number(node.value), Number(level.value)));
  const hint = "Click a level anywhere to observe it, and again to undo.";
  return {
    element: make("div", { class: "ask" }, make("span", {}, "How probable is"), node, "=", level, make("span", { class: "quiet" }, hint)),
    /** @param {number} asked @param {number} chosen */
    update(asked, chosen) {
      if (listed !== asked) {
        listed = asked;
        level.replaceChildren(...release.nodes[asked].levels.map((name, place) => make("option", { value: String(place) }, name)));
      }
      node.value = String(asked);
      level.value = String(chosen);
    },
  };
}

/** @param {ReturnType<typeof makeGraph>} graph @param {HTMLElement} tables @param {boolean} wide */
function makeViews(graph, tables, wide) {
  const names = wide ? ["Graph", "Tables"] : VIEWS;
  const buttons = names.map((name) => make("button", { type: "button", "aria-pressed": "false" }, name));
  /** @param {string} name */
  function open(name) {
    buttons.forEach((button, place) => button.setAttribute("aria-pressed", String(names[place] === name)));
    graph.element.hidden = name === "Tables";
    tables.hidden = name !== "Tables";
    graph.asList(name === "List");
    if (name === "Graph") graph.begin();
  }
  buttons.forEach((button, place) => button.addEventListener("click", () => open(names[place])));
  const legend = make(
    "p",
    { class: "legend" },
    make("span", {}, make("span", { class: "key sampling" }), "open because of sampling"),
    make("span", {}, make("span", { class: "key added" }), "added by privacy"),
    make("span", {}, make("span", { class: "key before" }), "before anything was observed"),
  );
  const bar = make("div", { class: "views" }, make("div", { class: "tabs", role: "group", "aria-label": "View" }, ...buttons), legend);
  return { element: make("div", {}, bar, graph.element, tables), open };
}

/** @param {NetworkRelease} release @param {Record<string, string>} known */
function numbered(release, known) {
  return new Map(
    Object.entries(known).map(([name, level]) => {
      const node = release.nodes.findIndex((entry) => entry.name === name);
      const found = node < 0 ? -1 : release.nodes[node].levels.indexOf(level);
      if (found < 0) throw new Error(`There is no ${name} = ${level}.`);
      return [node, found];
    }),
  );
}

/** @param {NetworkRelease} release @param {Summary[] | "impossible" | null} found */
function answersByName(release, found) {
  if (found === null || found === "impossible") return found;
  return Object.fromEntries(
    release.nodes.map((entry, node) => [entry.name, Object.fromEntries(entry.levels.map((level, place) => [level, figureOf(found[node], place)]))]),
  );
}
