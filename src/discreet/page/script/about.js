// @ts-check
// What must be said of a release: its guarantee in words, receipts, caveats, digest, and how to go on.
import { copyButton, make } from "./elements.js";

/** What stands at the top already. */
const SAID = new Set(["guarantee", "it means"]);

/** @param {import("./decode.js").Release} release */
export function makeHeader(release) {
  return make(
    "header",
    { class: "top" },
    make("p", { class: "brand" }, "discreet", " ", make("span", { class: "quiet" }, "a private release")),
    make("h1", {}, make("bdi", {}, release.subject)),
    make("p", { class: "lead" }, release.lead),
    make("p", { class: "promise" }, make("strong", {}, release.guarantee), ". ", release.meaning),
    ...release.warnings.map((warning) => make("p", { class: "warning", role: "note" }, warning)),
  );
}

/** @param {import("./decode.js").Release} release @param {HTMLElement} goOn */
export function makeAbout(release, goOn) {
  const facts = release.facts.filter(([name]) => !SAID.has(name)).flatMap(([name, fact]) => [make("dt", { class: name === "beware" ? "beware" : "" }, name), make("dd", {}, fact)]);
  const digest = release.digest === null ? [] : [make("dt", {}, "digest"), make("dd", {}, make("code", {}, release.digest))];
  return make(
    "aside",
    { class: "about", "aria-label": "About this release" },
    make("h2", {}, "Go on"),
    goOn,
    make("h2", {}, "About this release"),
    make("dl", {}, ...facts, ...digest),
    make("p", { class: "quiet" }, "This file computes everything itself. It loads nothing and sends nothing."),
  );
}

/** Code with a button that copies it. @param {string} label @param {string} code */
export function makeCode(label, code) {
  return make(
    "figure",
    { class: "code" },
    make("figcaption", {}, label, copyButton(code, label)),
    make("pre", { tabindex: "0" }, make("code", {}, code)),
  );
}
