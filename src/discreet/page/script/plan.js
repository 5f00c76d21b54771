// @ts-check
// The steward's page: a slider over epsilon, and what each would do. No data was touched to make it.
import { makeCode } from "./about.js";
import { makeBoard } from "./board.js";
import { makeChart } from "./chart.js";
import { make, nameOf } from "./elements.js";
import { nameKnown } from "./known.js";
import { makeWhisker, WHISKER_KEYS } from "./monitor.js";
import { makeOdds } from "./odds.js";
import { makePlanAsker } from "./plan_tables.js";
import { makeSlider } from "./slider.js";
import { findSmallest, makeSmallest } from "./smallest.js";
import { makeViews } from "./views.js";
import { percent, plainNumber, questionWords, shellWord } from "./words.js";

/** @typedef {import("./slider.js").Point} Point */
/**
 * @typedef {object} PlanParts
 * @property {"network" | "linear"} model
 * @property {string} subject
 * @property {string} file
 * @property {number} interval
 * @property {number} rows
 * @property {string | null} assumed the target of naive Bayes, where nobody has declared a graph
 * @property {number} sampling What remains of the error without any noise.
 * @property {number | null} unread
 * @property {string | null} dataset
 * @property {string | null} budget
 * @property {import("./smallest.js").PlannedQuestion | null} question
 * @property {Point[]} points
 */
/** @typedef {PlanParts & {target: {name: string, low: number, high: number}}} LinearPlan */
/** @typedef {PlanParts & import("./plan_tables.js").NetworkPlan} NetworkPlan */

const START = "0.5";
const PLAN_KEYS = /** @type {[string, string][]} */ ([
  ...WHISKER_KEYS,
  ["before", "what it is compared with"],
  ["cost-3", "the costliest edges"],
]);
// Of what the costliest edge costs.
const SHARES = [0.1, 0.4, 0.75];

/** @param {NetworkPlan | LinearPlan} plan @param {HTMLElement} page */
export async function showPlan(plan, page) {
  const start = firstAt(plan, plan.question?.smallest ?? START);
  /** @type {((place: number) => void)[]} */
  const watching = [];
  const slider = makeSlider(plan.points, start, plan, (point) => errorWords(plan, point), (place) => watching.forEach((watch) => watch(place)));
  const mechanisms = makeMechanisms(plan);
  const odds = makeOdds();
  const goOn = make("div");
  watching.push(mechanisms.update, (place) => odds.update(plan.points[place].factor), (place) => showGoOn(plan, plan.points[place], goOn));
  const main = make("main");
  const aside = make("aside", { class: "about", "aria-label": "About this plan" });
  page.classList.add("plan");
  page.append(makeTop(plan), slider.element, make("div", { class: "columns" }, main, aside));
  const further = plan.model === "network" ? showExample(/** @type {NetworkPlan} */ (plan), main, mechanisms.element, slider, watching) : showPrediction(/** @type {LinearPlan} */ (plan), main, mechanisms.element, watching);
  aside.append(...further.beside, make("h2", {}, "What others could learn"), make("p", {}, "Somebody knows all other records and takes something about one person for so likely, before the release and after it:"), odds.element);
  aside.append(make("h2", {}, "Go on"), goOn, make("h2", {}, "What this is"), ...notes(plan));
  for (const watch of watching) watch(start);
  await further.ready;
  return further.console;
}

/** The first that is as large, or the largest that the ledger would pay. @param {PlanParts} plan @param {string} epsilon */
function firstAt(plan, epsilon) {
  let place = Math.max(plan.points.findIndex((point) => Number(point.epsilon) >= Number(epsilon)), 0);
  while (place > 0 && plan.points[place].refused !== null) place--;
  return place;
}

/** @param {PlanParts} plan */
function makeTop(plan) {
  return make(
    "header",
    { class: "top" },
    make("p", { class: "brand" }, "discreet", " ", make("span", { class: "quiet" }, "before anything is spent")),
    make("h1", {}, "A plan for ", make("bdi", {}, plan.subject)),
    make("p", { class: "promise" }, `What each epsilon would do to ${plan.rows.toLocaleString("en")} records. No data was touched, and nothing was spent.`),
  );
}

/** @param {NetworkPlan | LinearPlan} plan @param {Point} point */
function errorWords(plan, point) {
  if (point.mechanism === null) return "No mechanism fits.";
  const error = point.errors[point.mechanism];
  const inTables = plan.model === "network";
  const what = inTables ? "a probability of its tables" : `the expected ${/** @type {LinearPlan} */ (plan).target.name}`;
  const far = (/** @type {number} */ value) => (inTables ? `${percent(value).slice(0, -2)} points` : plainNumber(value));
  return `${point.mechanism} would be off by ${far(error)} in ${what}, on average; ${far(plan.sampling)} without any noise.`;
}

/**
 * Monitors on simulated records.
 * @param {NetworkPlan} plan @param {HTMLElement} main @param {HTMLElement} mechanisms
 * @param {ReturnType<typeof makeSlider>} slider @param {((place: number) => void)[]} watching
 */
function showExample(plan, main, mechanisms, slider, watching) {
  const edges = makeEdges(plan);
  const tab = { name: "Mechanisms and edges", element: make("div", {}, mechanisms, edges.element) };
  if (plan.wide !== null) {
    const board = makeBoard(plan, noAsker(), plan, () => {});
    const views = makeViews(board.graph, [tab], { count: plan.nodes.length, listed: false }, PLAN_KEYS.slice(-1));
    main.append(board.panel, views.element);
    views.begin();
    watching.push((place) => edges.paint(board.graph, place));
    return { beside: plan.question === null ? [] : [makePlanned(plan, slider)], console: {}, ready: Promise.resolve() };
  }
  const asker = makePlanAsker(plan);
  const smallest = makeSmallest("", "", plan.question?.width ?? 0.1, async (wanted) => {
    const { node, level, known } = shown;
    const place = await findSmallest(plan.points.length, (at) => asker.width(at, known, node, level), wanted);
    if (place < 0) return { words: "Not at any epsilon up to 10 with these records.", place };
    return { words: `epsilon ${plan.points[place].epsilon} makes it that narrow with these records.`, place };
  }, slider.move);
  /** @type {import("./board.js").Shown} */
  let shown = { node: 0, level: 0, known: { seen: new Map(), made: new Map() }, base: { seen: new Map(), made: new Map() }, found: null };
  const board = makeBoard(plan, asker, plan, (now) => {
    shown = now;
    const words = questionWords(plan.nodes[now.node].name, plan.nodes[now.node].levels[now.level], nameKnown(plan.nodes, now.known, now.node));
    if (smallest.title.textContent !== words) smallest.answer.textContent = "";
    smallest.title.textContent = words;
  });
  const views = makeViews(board.graph, [tab], { count: plan.nodes.length, listed: true }, PLAN_KEYS);
  main.append(board.panel, views.element);
  views.begin();
  board.show();
  let ready = Promise.resolve("done");
  watching.push((place) => {
    edges.paint(board.graph, place);
    asker.choose(place);
    ready = board.recompute();
  });
  const beside = [make("h2", {}, "The smallest epsilon for an answer"), ...(plan.question === null ? [] : [makePlanned(plan, slider)]), smallest.element];
  return { beside, console: { width: asker.width, choose: slider.move }, get ready() { return ready; } };
}

/** Nobody answers about a network that is too wide. @returns {import("./findings.js").Asker} */
function noAsker() {
  return { ask: async () => null, compare: () => ({ difference: { value: NaN }, ratio: { value: NaN } }), table: () => { throw new Error("no table"); }, roughRow: () => null };
}

/** The question that the plan was made for. @param {PlanParts} plan @param {ReturnType<typeof makeSlider>} slider */
function makePlanned(plan, slider) {
  const question = /** @type {import("./smallest.js").PlannedQuestion} */ (plan.question);
  return makeSmallest(question.title, `${question.verdict} Half of all networks that the prior draws have wider intervals.`, question.width, async (wanted) => {
    const place = await findSmallest(plan.points.length, async (at) => plan.points[at].width, wanted);
    if (place < 0) {
      const why = question.sampling > wanted ? `${percent(question.sampling)} would remain without any noise` : "noise hides too much";
      return { words: `Not at any epsilon up to 10: ${why}.`, place };
    }
    return { words: `About epsilon ${plan.points[place].epsilon}: ${percent(plan.points[place].width ?? 0)} wide.`, place };
  }, slider.move).element;
}

/** What edges cost, in colours and in a table. @param {NetworkPlan} plan */
function makeEdges(plan) {
  const rows = make("tbody");
  const { of, epsilons, costs } = plan.edges;
  const name = (/** @type {number} */ node) => plan.nodes[node].name;
  const head = make("tr", {}, ...["edge", "error of the child", "without the edge"].map((heading, place) => make("th", { scope: "col", class: place ? "number" : "" }, heading)));
  const nearest = (/** @type {number} */ epsilon) =>
    epsilons.reduce((best, each, place) => (Math.abs(Math.log(each / epsilon)) < Math.abs(Math.log(epsilons[best] / epsilon)) ? place : best), 0);
  return {
    element: make("div", {}, make("h2", {}, "What edges cost"), make("p", { class: "quiet" }, `Expected error of the child's probabilities with and without each edge, by ${of}. Who leaves out an edge that matters is wrong in another way: this is only what it costs to ask.`), make("table", {}, make("thead", {}, head), rows)),
    /** @param {ReturnType<typeof import("./graph.js").makeGraph>} graph @param {number} place */
    paint(graph, place) {
      const found = costs[nearest(Number(plan.points[place].epsilon))];
      const most = Math.max(...found.map(([, , error, without]) => error - without), 1e-9);
      const by = new Map(found.map(([parent, child, error, without]) => [`${parent} ${child}`, { error, without }]));
      graph.paint((parent, child) => {
        const cost = by.get(`${parent} ${child}`);
        if (!cost) return { look: "", title: "" };
        const share = (cost.error - cost.without) / most;
        const title = `without ${name(parent)} → ${name(child)} the error of ${name(child)} would be ${plainNumber(cost.without)} instead of ${plainNumber(cost.error)}`;
        return { look: `cost-${SHARES.filter((each) => share > each).length}`, title };
      });
      const cell = (/** @type {number} */ value) => make("td", { class: "number" }, plainNumber(value));
      rows.replaceChildren(...found.slice(0, 12).map(([parent, child, error, without]) => make("tr", {}, make("th", { scope: "row" }, nameOf(name(parent)), " → ", nameOf(name(child))), cell(error), cell(without))));
    },
  };
}

/** @param {NetworkPlan | LinearPlan} plan */
function makeMechanisms(plan) {
  const names = [...new Set(plan.points.flatMap(({ errors }) => Object.keys(errors)))];
  const curves = names.map((name) => ({ name, values: plan.points.map(({ errors }) => errors[name] ?? null) }));
  const floors = [{ words: "without any noise", value: plan.sampling }, ...(plan.unread === null ? [] : [{ words: "before any record is read", value: plan.unread }])];
  const label = plan.model === "network" ? "Expected error of a probability" : "Root mean square error of a prediction, in the target's units";
  const chart = makeChart(plan.points.map(({ epsilon }) => Number(epsilon)), curves, floors, label);
  const rows = make("tbody");
  const head = make("tr", {}, ...["mechanism", "expected error", "of it noise"].map((heading, place) => make("th", { scope: "col", class: place ? "number" : "" }, heading)));
  return {
    element: make("div", {}, make("h2", {}, "Mechanisms"), chart.element, make("table", {}, make("thead", {}, head), rows)),
    /** @param {number} place */
    update(place) {
      const { errors, mechanism } = plan.points[place];
      chart.update(place, mechanism);
      const sorted = Object.entries(errors).sort(([, one], [, other]) => one - other);
      rows.replaceChildren(
        ...sorted.map(([name, error]) =>
          make("tr", { class: name === mechanism ? "taken" : "" }, make("th", { scope: "row" }, name, name === mechanism ? make("small", {}, " the one to take") : null), make("td", { class: "number" }, plainNumber(error)), make("td", { class: "number" }, `${Math.max(0, Math.round(100 * (1 - plan.sampling / error)))} %`)),
        ),
      );
    },
  };
}

/** @param {LinearPlan} plan @param {HTMLElement} main @param {HTMLElement} mechanisms @param {((place: number) => void)[]} watching */
function showPrediction(plan, main, mechanisms, watching) {
  const whisker = makeWhisker();
  whisker.element.classList.add("free");
  const said = make("p");
  const wide = Math.max(...plan.points.map((point) => (point.mechanism === null ? 0 : point.errors[point.mechanism])));
  main.append(
    make("section", { class: "prediction" }, make("h2", {}, "A prediction of ", nameOf(plan.target.name)), whisker.element, said, make("p", { class: "quiet" }, "How far the expected target of a record may be off: 90 % of errors are within the whisker. How far single records scatter about it comes on top, and no epsilon changes it.")),
    mechanisms,
  );
  watching.push((place) => {
    const { mechanism, errors } = plan.points[place];
    const error = mechanism === null ? wide : errors[mechanism];
    const half = (/** @type {number} */ value) => 0.48 * Math.min(value / wide, 1);
    whisker.update({ middle: 0.5, lower: 0.5 - half(error), upper: 0.5 + half(error), privacy: 1 - plan.sampling / error }, null);
    said.textContent = `Within ${plainNumber(1.645 * error)} either way; ${plainNumber(1.645 * plan.sampling)} without any noise. Its bounds are ${plainNumber(plan.target.low)} to ${plainNumber(plan.target.high)}.`;
  });
  return { beside: [], console: {}, ready: Promise.resolve() };
}

/** @param {NetworkPlan | LinearPlan} plan @param {Point} point @param {HTMLElement} goOn */
function showGoOn(plan, point, goOn) {
  const declared = plan.model === "linear" ? "--model" : plan.assumed !== null ? "--schema" : "--network";
  const target = plan.assumed !== null ? ` --target ${shellWord(plan.assumed)}` : "";
  const budget = plan.dataset === null ? " --cap 1" : "";
  const command = `discreet release RECORDS ${declared} ${shellWord(plan.file)}${target} --epsilon ${point.epsilon} --ledger budget.ledger${budget} -o release.json`;
  const python = `import discreet as dc\n\nledger = dc.Ledger("budget.ledger"${budget ? ', cap="1"' : ""})\nrelease = dc.release("records.csv", ${JSON.stringify(plan.file)}, epsilon="${point.epsilon}",${plan.assumed !== null ? ` target=${JSON.stringify(plan.assumed)},` : ""} ledger=ledger)`;
  goOn.replaceChildren(makeCode("with the command", command), makeCode("in Python", python));
}

/** @param {NetworkPlan | LinearPlan} plan */
function notes(plan) {
  const said =
    plan.model === "network"
      ? [
          "The records were simulated: a network was drawn from a uniform prior, and records from it. Whiskers are 90 % intervals that the mechanism to take would leave of answers about such records, by an approximation that is compared with real releases: the inner part is what sampling leaves open, the outer part what noise adds.",
          "Real records differ, and so will intervals: wider where what is given is rare. The prior that releases use learns from the tables and often leaves less open.",
          ...(plan.assumed !== null ? ["No graph was declared. This is naive Bayes: all other columns depend on the target and not on one another."] : []),
        ]
      : ["Errors are approximations for features that are spread evenly over their bounds."];
  return [...said, "This file computes everything itself. It loads nothing and sends nothing."].map((words) => make("p", { class: "quiet" }, words));
}
