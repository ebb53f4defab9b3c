/**
 * What runs in a page, in a world of its own: scripts of the page can neither see nor change its functions. Texts, because the
 * program that runs them is the browser.
 */

/** How much there is to see: characters of text, nodes, state of loading, height; whether a frame may show more. */
export const MEASURE = `() => {
  const unseen = new Set(['script', 'style', 'noscript', 'template']);
  let chars = 0;
  let nodes = 0;
  const visit = (root) => {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node !== null && nodes < 20000; node = walker.nextNode()) {
      nodes += 1;
      if (node.nodeType === Node.TEXT_NODE) {
        if (!unseen.has(node.parentNode?.localName)) chars += node.data.trim().length;
      } else if (node.shadowRoot) visit(node.shadowRoot);
    }
  };
  if (document.body) visit(document.body);
  const frames = [...document.querySelectorAll('iframe')].some(({ clientWidth, clientHeight }) => clientWidth >= 200 && clientHeight >= 80);
  const { scrollHeight = 0 } = document.documentElement ?? {};
  return { chars, nodes, isComplete: document.readyState === 'complete', height: scrollHeight, frames };
}`;

/** Whether an element is there; a selector that cannot be read is an error. */
export const HAS_ELEMENT = `(selector) => {
  try {
    return { has: document.querySelector(selector) !== null };
  } catch {
    return { problem: true };
  }
}`;

export const SCROLL_TO = `(top) => window.scrollTo({ top, behavior: 'instant' })`;

/**
 * The document as HTML, with open shadow trees as declarative ones. What is said to browsers without scripts is left out, but for
 * pictures. \`onlyBody\`: the contents of the body, with absolute addresses, because they move into another document.
 */
export const TAKE = `(charsMax, onlyBody) => {
  const { documentElement: root, body } = document;
  if (!root) return { html: '' };
  const shadowRoots = [];
  const visit = (tree) => {
    for (const element of tree.querySelectorAll('*')) {
      if (element.localName === 'noscript' && !/<img/i.test(element.textContent)) element.remove();
      if (onlyBody) for (const name of ['href', 'src'])
        if (element.hasAttribute(name) && typeof element[name] === 'string') element.setAttribute(name, element[name]);
      if (!element.shadowRoot || shadowRoots.length > 5000) continue;
      shadowRoots.push(element.shadowRoot);
      visit(element.shadowRoot);
    }
  };
  visit(document);
  const inner = (onlyBody ? body : root)?.getHTML({ shadowRoots }) ?? '';
  if (inner.length > charsMax) return { isTooLarge: true };
  if (onlyBody) return { html: inner };
  const [opening] = root.cloneNode(false).outerHTML.split('></');
  return { html: '<!DOCTYPE html>' + opening + '>' + inner + '</html>' };
}`;

/** Called on an element that shows a frame: puts a comment in its place if it is large enough to be part of the page. */
export const MARK_FRAME = `function (mark) {
  const { width, height } = this.getBoundingClientRect();
  if (width < 200 || height < 80) return false;
  this.replaceWith(document.createComment(mark));
  return true;
}`;
