// @ts-check
// A page begins: what it knows is read and shown, and whoever opens the browser's console can ask it.
import { make } from "./elements.js";

/** @param {(known: any, page: HTMLElement) => Promise<object>} show Gives what the console may call. */
export async function begin(show) {
  const page = document.getElementById("page");
  const data = document.getElementById("release");
  if (!page || !data?.textContent) return;
  try {
    Object.assign(globalThis, { discreet: await show(JSON.parse(data.textContent), page) });
    document.documentElement.dataset.ready = "yes";
  } catch (error) {
    page.append(make("p", { class: "warning", role: "alert" }, "This browser cannot show the page. A newer one can."));
    throw error;
  }
}
