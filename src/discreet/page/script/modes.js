// @ts-check
// What a click means: that a level is seen, or that somebody makes it so. The second is offered where arrows may be causes.
import { make } from "./elements.js";

/**
 * @param {string | null} doubt Why arrows are perhaps no causes; null where whoever declared them answers for it.
 */
export function makeModes(doubt) {
  const words = ["Observe", "Set"];
  const said = ["Click a level to observe it, and again to undo.", "Click a level to make it so: the arrows into its node are cut. That is what would happen, where arrows are causes."];
  const buttons = words.map((word) => make("button", { type: "button", "aria-pressed": String(word === "Observe") }, word));
  const meaning = make("span", { class: "quiet" }, said[0]);
  const agree = make("input", { type: "checkbox" });
  const ask = make("p", { class: "doubt", hidden: true }, `${doubt ?? ""} `, make("label", {}, agree, " I know that these arrows are causes."));
  let setting = false;

  /** @param {boolean} on */
  function choose(on) {
    const allowed = doubt === null || agree.checked;
    ask.hidden = doubt === null || !on;
    setting = on && allowed;
    buttons.forEach((button, place) => button.setAttribute("aria-pressed", String((place === 1) === on)));
    meaning.textContent = on && !allowed ? "" : said[on ? 1 : 0];
  }
  buttons.forEach((button, place) => button.addEventListener("click", () => choose(place === 1)));
  agree.addEventListener("change", () => choose(true));
  return {
    element: make("div", { class: "modes" }, make("div", { class: "tabs small", role: "group", "aria-label": "What a click means" }, ...buttons), meaning, ask),
    get setting() {
      return setting;
    },
    /** Whether a click does nothing yet, since the reader has not said that arrows are causes. */
    get undecided() {
      return !ask.hidden && !agree.checked;
    },
  };
}
