// @ts-check
// The page begins here: what was released is read, and shown by its kind.
import { make } from "./elements.js";
import { makePredictor, showLinear } from "./linear.js";
import { showNetwork } from "./network.js";

/** @param {string} text @param {HTMLElement} page */
async function start(text, page) {
  const release = JSON.parse(text);
  // For the curious: discreet.ask({smoke: "yes"}), with what is set as a second argument, and discreet.predict([180, 40]) in the browser's console.
  if (release.kind === "linear") {
    showLinear(release, page);
    Object.assign(globalThis, { discreet: { predict: makePredictor(release) } });
  } else {
    Object.assign(globalThis, { discreet: await showNetwork(release, page) });
  }
  document.documentElement.dataset.ready = "yes";
}

const page = document.getElementById("page");
const data = document.getElementById("release");
if (page && data?.textContent) {
  start(data.textContent, page).catch((error) => {
    page.append(make("p", { class: "warning", role: "alert" }, "This browser cannot show the page. A newer one can."));
    throw error;
  });
}
