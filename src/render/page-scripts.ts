/**
 * Scripts that run in a page, in an isolated world: the page's own scripts can neither see nor change their functions. They are strings,
 * because the browser runs them.
 */

/** Measures what a page shows: characters of text, nodes, state of loading, height; and whether it has a frame that may show more. */
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

/** Checks whether an element exists; an invalid selector is reported as a problem. */
export const HAS_ELEMENT = `(selector) => {
  try {
    return { has: document.querySelector(selector) !== null };
  } catch {
    return { problem: true };
  }
}`;

export const SCROLL_TO = `(top) => window.scrollTo({ top, behavior: 'instant' })`;

/**
 * Serializes the document as HTML, with open shadow trees as declarative ones. `noscript` elements are left out unless they hold
 * pictures. \`onlyBody\`: only the contents of the body, with absolute addresses, because they move into another document.
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

/** Called on the element of a frame: replaces it with a comment if it is large enough to be part of the page. */
export const MARK_FRAME = `function (mark) {
  const { width, height } = this.getBoundingClientRect();
  if (width < 200 || height < 80) return false;
  this.replaceWith(document.createComment(mark));
  return true;
}`;
