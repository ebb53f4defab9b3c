import type { TreeNode } from '../table-shape.ts';
import { makeElement, makeText, parseNodes, parseRichText } from './rich-text.ts';

/** A text, a list or rich text somewhere in the data. */
type Piece = {
  name: string;
  chars: number;
  /** The plain text, to recognise copies. */
  text: string;
  markdown: boolean;
  nodes(): TreeNode[];
};

/** A part of the data with its pieces and subregions, in order. */
type Region = { title: string | null; chars: number; parts: (Piece | Region)[] };

const VALUES_MAX = 100_000;
const DEPTH_MAX = 64;
const PROSE_CHARS_MIN = 60;
const BODY = /^(?:article_?)?(?:body|content|html|text|markdown|rendered|story|post_?content|mdx|source)/i;
const TEASER = /^(?:excerpt|summary|description|teaser|subtitle|dek|lede|standfirst|short)/i;
const TITLE = /^(?:title|headline|heading|name|question|label|header|step)$/i;
/** Names of data about the site, its settings or other pages. */
const ELSEWHERE =
  /^_{0,2}(?:seo\w*|meta\w*|og|twitter|i18n\w*|locale\w*|translations?|messages|dictionary|intl|strings|related\w*|recommend\w*|footer\w*|header|nav\w*|menu\w*|cookie\w*|consent\w*|config\w*|env|runtimeConfig|legal\w*|newsletter\w*|sidebar|announcement\w*|breadcrumbs?|ads?|banner\w*|popups?|modals?|errors?|theme|styles?|css|scripts?|comments?|author|user|viewer|session|experiments?|flags|features?Flags|tracking|analytics|latest\w*|popular\w*|trending\w*|more\w*|next|prev\w*|buildManifest|serverTiming)$/i;

/**
 * Finds the longest prose in data, with the headings and lists that belong to it: as nodes, or as Markdown when the page stores its
 * text so. Returns null when it has less than `least` characters.
 */
export function findLongestProse(
  data: unknown,
  least: number,
): { nodes: TreeNode[] } | { markdown: string } | null {
  const seen = new Set<object>();
  const left = { values: VALUES_MAX };
  const root = buildRegion(data, { seen, left, depth: 0 });
  const chosen = chooseRegion(root);
  if (chosen.chars < least) return null;
  const pieces = collectPieces(chosen);
  const largest = pieces.reduce((most, piece) => (piece.chars > most.chars ? piece : most));
  if (largest.markdown && largest.chars > chosen.chars / 2) return { markdown: largest.text };
  return { nodes: buildNodes(chosen, 2, new Set()) };
}

type WalkState = { seen: Set<object>; left: { values: number }; depth: number };

function buildRegion(value: unknown, walk: WalkState): Region {
  const region: Region = { title: null, chars: 0, parts: [] };
  if (typeof value !== 'object' || value === null || walk.depth > DEPTH_MAX || walk.seen.has(value))
    return region;
  walk.seen.add(value);
  for (const [name, inner] of Object.entries(value)) {
    walk.left.values -= 1;
    if (walk.left.values <= 0) break;
    const part = buildPart(name, inner, walk);
    if (part === null) {
      if (typeof inner === 'string' && TITLE.test(name) && isTitle(inner)) region.title ??= inner.trim();
      continue;
    }
    region.parts.push(part);
    region.chars += part.chars;
  }
  return dropTeasers(region);
}

function buildPart(name: string, value: unknown, walk: WalkState): Piece | Region | null {
  if (ELSEWHERE.test(name)) return null;
  if (typeof value === 'string') return buildProse(name, value);
  if (typeof value !== 'object' || value === null) return null;
  const rich = parseRichText(value);
  if (rich !== null) {
    walk.seen.add(value);
    const text = readNodesText(rich);
    return text.length === 0 ? null : { name, chars: text.length, text, markdown: false, nodes: () => rich };
  }
  if (Array.isArray(value) && isList(value)) return buildList(name, value);
  const region = buildRegion(value, { ...walk, depth: walk.depth + 1 });
  return region.chars === 0 ? null : region;
}

/** Drops teasers beside the text that they announce. */
function dropTeasers(region: Region): Region {
  const pieces = region.parts.filter(isPiece);
  const body = Math.max(0, ...pieces.filter(({ name }) => !TEASER.test(name)).map(({ chars }) => chars));
  const parts = region.parts.filter(
    (part) => !isPiece(part) || !TEASER.test(part.name) || part.chars > body / 2,
  );
  return { ...region, parts, chars: parts.reduce((sum, { chars }) => sum + chars, 0) };
}

const isRegion = (part: Piece | Region): part is Region => 'parts' in part;
const isPiece = (part: Piece | Region): part is Piece => 'nodes' in part;

/** Chooses the smallest region that holds nearly all of the prose, or the one around a text that holds most of it. */
function chooseRegion(root: Region): Region {
  let region = root;
  for (;;) {
    const { chars, parts } = region;
    const inner = parts.filter(isRegion).find((part) => part.chars >= chars * MOST);
    if (inner === undefined) break;
    region = inner;
  }
  return findBodyOwner(region, region.chars) ?? region;
}
const MOST = 0.8;

/** Finds the region directly around a body of at least half of the prose, unless it is one of several alike. */
function findBodyOwner(region: Region, total: number): Region | null {
  const body = region.parts.filter(isPiece).find(({ name, chars }) => chars >= total / 2 && BODY.test(name));
  if (body !== undefined) return { ...region, parts: region.parts.filter(isPiece) };
  const inner = region.parts.filter(isRegion);
  if (inner.filter(hasBody).length > 1) return null;
  const main = inner.find(({ chars }) => chars >= total / 2);
  return main === undefined ? null : findBodyOwner(main, total);
}

const hasBody = ({ parts }: Region): boolean => parts.some((part) => isPiece(part) && BODY.test(part.name));

const collectPieces = ({ parts }: Region): Piece[] =>
  parts.flatMap((part) => (isPiece(part) ? [part] : collectPieces(part)));

function buildNodes(region: Region, level: number, written: Set<string>): TreeNode[] {
  return region.parts.flatMap((part) => {
    if (isPiece(part)) {
      if (written.has(part.text)) return [];
      written.add(part.text);
      return part.nodes();
    }
    const inner = buildNodes(part, part.title === null ? level : Math.min(level + 1, 6), written);
    if (inner.length === 0 || part.title === null || written.has(part.title)) return inner;
    return [makeElement(`h${level}`, [makeText(part.title)]), ...inner];
  });
}

function buildProse(name: string, value: string): Piece | null {
  const text = value.trim();
  if (text.length < PROSE_CHARS_MIN || !isProse(text)) return null;
  if (/<(?:p|div|br|h[1-6]|ul|ol|li|table|section|article|blockquote|pre)\b/i.test(text)) {
    const nodes = parseNodes(text);
    const plain = readNodesText(nodes);
    return plain === ''
      ? null
      : { name, chars: plain.length, text: plain, markdown: false, nodes: () => nodes };
  }
  return { name, chars: text.length, text, markdown: isMarkdown(text), nodes: () => buildParagraphs(text) };
}

/** Returns whether a text is running words, and not an address, code, settings or a key. */
function isProse(text: string): boolean {
  if (/^(?:https?:|data:|\/|\{|\[|function\b|import\b|@media|:root)/.test(text)) return false;
  const start = text.slice(0, 2_000).replace(/<[^<>]{0,500}>/g, ' ');
  const gaps = (start.match(/\p{L}[,;:]? \p{L}/gu) ?? []).length;
  return (
    gaps >= Math.max(6, start.length / 25) || /[\u3040-\u30FF\u4E00-\u9FFF\uAC00-\uD7AF]{12}/.test(start)
  );
}

const isMarkdown = (text: string): boolean =>
  /^(?:#{1,6} \S|```|[-*] \S|\d{1,3}\. \S|\|.{1,500}\|)/m.test(text) && text.includes('\n');

const isTitle = (text: string): boolean =>
  text.trim().length >= 3 && text.length <= 200 && /\p{L}/u.test(text) && !/^https?:|[_{}<>]/.test(text);

/** Returns whether a value is a list of short texts, such as ingredients. */
const isList = (value: unknown[]): value is string[] =>
  value.length >= 3 &&
  value.every(
    (item) =>
      typeof item === 'string' && item.length <= 500 && / \p{L}/u.test(item) && !/^https?:|[{}<>]/.test(item),
  );

function buildList(name: string, items: string[]): Piece {
  const text = items.join('\n');
  return {
    name,
    text,
    chars: text.length,
    markdown: false,
    nodes: () => [
      makeElement(
        'ul',
        items.map((item) => makeElement('li', [makeText(item)])),
      ),
    ],
  };
}

function buildParagraphs(text: string): TreeNode[] {
  return text
    .split(/\n{2,}/)
    .filter((part) => part.trim() !== '')
    .map((part) =>
      makeElement(
        'p',
        part
          .split('\n')
          .flatMap((line, at) => (at === 0 ? [makeText(line)] : [makeElement('br', []), makeText(line)])),
      ),
    );
}

function readNodesText(nodes: TreeNode[]): string {
  const texts: string[] = [];
  const waiting = nodes.toReversed();
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if ('text' in node) texts.push(node.text);
    else if (node.tag !== 'script' && node.tag !== 'style') waiting.push(...node.children.toReversed());
  }
  return texts.join(' ').replace(/\s+/g, ' ').trim();
}
