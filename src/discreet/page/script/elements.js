// @ts-check
// Making elements. Text is always text: nothing here, or anywhere in the page, reads a string as HTML.

/** @typedef {Node | string | null} Content */

/**
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Record<string, string | boolean>} [attributes]
 * @param {...Content} content
 * @returns {HTMLElementTagNameMap[K]}
 */
export function make(tag, attributes = {}, ...content) {
  const element = document.createElement(tag);
  setAttributes(element, attributes);
  element.append(...content.filter((each) => each !== null));
  return element;
}

/**
 * @template {keyof SVGElementTagNameMap} K
 * @param {K} tag
 * @param {Record<string, string | boolean>} [attributes]
 * @param {...Content} content
 * @returns {SVGElementTagNameMap[K]}
 */
export function draw(tag, attributes = {}, ...content) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  setAttributes(element, attributes);
  element.append(...content.filter((each) => each !== null));
  return element;
}

/** @param {Element} element @param {Record<string, string | boolean>} attributes */
function setAttributes(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== false) element.setAttribute(name, value === true ? "" : value);
  }
}

/** A name of somebody's choosing, in whatever direction it is written. @param {string} name @param {string} [className] */
export function nameOf(name, className = "name") {
  return make("bdi", { class: className, title: name }, name);
}

/** @param {string} text @param {string} label What is copied, for those who do not see the button's place. */
export function copyButton(text, label) {
  const word = make("span", {}, "Copy");
  const button = make("button", { type: "button", class: "copy" }, word, make("span", { class: "unseen" }, ` ${label}`));
  button.addEventListener("click", async () => {
    const done = await copy(text);
    word.textContent = done ? "Copied" : "Press Ctrl+C";
    setTimeout(() => {
      word.textContent = "Copy";
    }, 1600);
  });
  return button;
}

/** @param {string} text */
async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = make("textarea", { readonly: true });
    area.value = text;
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    return done;
  }
}
