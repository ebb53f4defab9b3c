import { escapeText } from './markdown/inline/escape-text.ts';
import { finishParagraphs } from './markdown/inline/finish-inline.ts';
import { type Written, writeMarkdown } from './markdown/write-markdown.ts';
import { articlesIn, ldText } from './metadata/json-ld.ts';
import type { PageFacts } from './metadata/page-facts.ts';
import { isElement, parseTree, type Tree, type TreeElement } from './tree.ts';

/** A shorter text in the data is a teaser, not the page. */
const BODY_CHARS_MIN = 400;
const SCRIPT_CHARS_MAX = 3_000_000;
const VALUES_MAX = 100_000;
const BODY_KEYS =
  /^(?:articleBody|body\w*|content\w*|html|text|markdown|description|post_?content|rendered|story)$/i;

/**
 * The text that a page carries as data for its scripts (JSON-LD articleBody, `__NEXT_DATA__`), for pages whose visible
 * body is nearly empty; null when there is none.
 */
export function textInData(
  tree: Tree,
  facts: PageFacts,
  resolve: (href: string) => string | null,
): Written | null {
  const declared = articlesIn(facts.jsonLd)
    .map((article) => ldText(article.articleBody))
    .find((text) => text !== null && text.length >= BODY_CHARS_MIN);
  const body = declared ?? nextData(tree.root);
  if (body === null) return null;
  return /<(?:p|div|br|h[1-6]|ul|li)\b/i.test(body)
    ? writeMarkdown(parseTree(body), resolve)
    : { markdown: paragraphs(body), headings: [] };
}

function paragraphs(text: string): string {
  return text
    .split('\n')
    .flatMap((part) => finishParagraphs(escapeText(part)))
    .map((lines) => lines.join('\n'))
    .join('\n\n');
}

function nextData(root: TreeElement): string | null {
  const script = scriptById(root, '__NEXT_DATA__');
  const json =
    script === null ? '' : script.children.map((child) => (isElement(child) ? '' : child.text)).join('');
  if (json.length === 0 || json.length > SCRIPT_CHARS_MAX) return null;
  try {
    return longestBody(JSON.parse(json));
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

function scriptById(root: TreeElement, id: string): TreeElement | null {
  const waiting = [root];
  for (let element = waiting.pop(); element !== undefined; element = waiting.pop()) {
    if (element.tag === 'script' && element.attributes.id === id) return element;
    for (const child of element.children) if (isElement(child)) waiting.push(child);
  }
  return null;
}

/** The longest text under a name that bodies have, breadth first and bounded. */
function longestBody(data: unknown): string | null {
  let longest = '';
  const waiting: unknown[] = [data];
  for (let at = 0; at < waiting.length && at < VALUES_MAX; at += 1) {
    const value = waiting[at];
    if (typeof value !== 'object' || value === null) continue;
    for (const [name, inner] of Object.entries(value)) {
      if (typeof inner === 'string') {
        if (inner.length > longest.length && BODY_KEYS.test(name) && isProse(inner)) longest = inner;
      } else if (waiting.length < VALUES_MAX) waiting.push(inner);
    }
  }
  return longest.length >= BODY_CHARS_MIN ? longest : null;
}

const isProse = (text: string): boolean =>
  (text.slice(0, 2_000).match(/\p{L} \p{L}/gu) ?? []).length > 20 || /[\u3040-\u9FFF]{40}/.test(text);
