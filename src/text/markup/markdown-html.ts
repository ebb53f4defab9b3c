/**
 * Renders the Markdown of foreign pages as HTML that is safe on our own pages. All text is escaped, all elements are written here,
 * and nothing is loaded from other sites. It is not a general Markdown renderer: HTML in the Markdown loses its tags.
 */
import { decodeHTML } from 'entities/decode';
import { escapeUTF8 } from 'entities/escape';
import { Lexer, type Token, type Tokens } from 'marked';
import { isStopWord } from '../words/stop-words.ts';

/** Options for rendering the Markdown of a page. */
export type MarkupOptions = {
  /** The page's address, the base of its links. */
  base: string;
  /** The level of its first-level headings, 1 to 6; null: headings become bold paragraphs. */
  headings: number | null;
  /** A query whose words are highlighted; null: none. */
  query: string | null;
};

/** Maximum nesting of blocks and inline elements; what is deeper is shown as text. */
const DEPTH_MAX = 24;
const LINK_CHARS_MAX = 4_000;

/**
 * Renders Markdown of a page of another site as markup that is safe on one of ours. HTML in the Markdown loses its tags, links lead
 * to the web or to mail only, and pictures become links, so that nothing is loaded from other sites. The parser takes quadratic
 * time on hostile text, so long texts belong in a thread with a time limit.
 */
export function renderMarkdown(markdown: string, { base, headings, query }: MarkupOptions): string {
  const marked = query === null ? null : buildWordPattern(query);
  // Keeps a footnote from becoming a link to the address that its first word spells.
  const text = markdown.replace(/^\[\^/gm, '\\[^');
  try {
    return renderBlocks(Lexer.lex(text, { gfm: true }), {
      base,
      headings,
      marked,
      depth: 0,
      before: { level: (headings ?? 1) - 1 },
    }).trim();
  } catch (error) {
    // The parser recurses as deep as the text nests.
    if (!(error instanceof RangeError)) throw error;
    return `<p class="plain">${escapeUTF8(markdown)}</p>`;
  }
}

type RenderContext = Omit<MarkupOptions, 'query'> & {
  depth: number;
  marked: RegExp | null;
  /** The level of the previous heading: the next is at most one level deeper, as screen readers expect. */
  before: { level: number };
};

function renderBlocks(tokens: readonly Token[], inside: RenderContext): string {
  return tokens.map((token) => renderBlock(token, inside)).join('');
}

function renderBlock(token: Token, outside: RenderContext): string {
  if (outside.depth >= DEPTH_MAX) return `<p>${escapeUTF8(token.raw)}</p>`;
  const inside = { ...outside, depth: outside.depth + 1 };
  // The parser's types distinguish tokens by `type`, but allow any other type for extensions, which are not used here.
  const known = token as Tokens.Generic;
  switch (known.type) {
    case 'heading':
      return renderHeading(known as Tokens.Heading, inside);
    case 'paragraph':
      return `<p>${renderInline(known.tokens ?? [], inside)}</p>\n`;
    case 'text':
      return known.tokens === undefined ? renderText(known.text, inside) : renderInline(known.tokens, inside);
    case 'code':
      return `<pre tabindex="0"><code>${escapeUTF8(known.text)}</code></pre>\n`;
    case 'blockquote':
      return `<blockquote>${renderBlocks(known.tokens ?? [], inside)}</blockquote>\n`;
    case 'list':
      return renderList(known as Tokens.List, inside);
    case 'table':
      return renderTable(known as Tokens.Table, inside);
    case 'hr':
      return '<hr>\n';
    case 'html':
      return stripTags(known.text) === '' ? '' : `<p>${renderText(stripTags(known.text), inside)}</p>\n`;
    case 'checkbox':
      return known.checked ? '☑ ' : '☐ ';
    default:
      return '';
  }
}

function renderHeading({ depth: level, tokens }: Tokens.Heading, inside: RenderContext): string {
  const { headings, before } = inside;
  if (headings === null) return `<p><strong>${renderInline(tokens, inside)}</strong></p>\n`;
  before.level = Math.min(6, level + headings - 1, before.level + 1);
  const name = `h${before.level}`;
  return `<${name}>${renderInline(tokens, inside)}</${name}>\n`;
}

function renderList({ ordered, start, items }: Tokens.List, inside: RenderContext): string {
  const name = ordered ? 'ol' : 'ul';
  const first = ordered && typeof start === 'number' && start !== 1 ? ` start="${start}"` : '';
  return `<${name}${first}>${items.map((item) => `<li>${renderBlocks(item.tokens, inside)}</li>`).join('')}</${name}>\n`;
}

function renderTable({ header, rows }: Tokens.Table, inside: RenderContext): string {
  const renderCells = (row: Tokens.TableCell[], name: 'th' | 'td'): string =>
    row
      .map(({ tokens, text: raw }) => {
        // An empty cell does not label its column.
        const element = raw.trim() === '' ? 'td' : name;
        return `<${element}>${renderInline(tokens, inside)}</${element}>`;
      })
      .join('');
  const lines = rows.map((row) => `<tr>${renderCells(row, 'td')}</tr>`).join('');
  return `<div class="scroll" tabindex="0"><table><thead><tr>${renderCells(header, 'th')}</tr></thead><tbody>${lines}</tbody></table></div>\n`;
}

function renderInline(tokens: readonly Token[], outside: RenderContext): string {
  if (outside.depth >= DEPTH_MAX) return escapeUTF8(tokens.map(({ raw }) => raw).join(''));
  const inside = { ...outside, depth: outside.depth + 1 };
  return tokens.map((token) => renderInlineToken(token, inside)).join('');
}

const ELEMENTS: Record<string, string> = { strong: 'strong', em: 'em', del: 'del' };

function renderInlineToken(token: Token, inside: RenderContext): string {
  // The same applies as in `renderBlock`.
  const known = token as Tokens.Generic;
  switch (known.type) {
    case 'strong':
    case 'em':
    case 'del': {
      const name = ELEMENTS[known.type];
      return `<${name}>${renderInline(known.tokens ?? [], inside)}</${name}>`;
    }
    case 'codespan':
      return `<code>${escapeUTF8(known.text)}</code>`;
    case 'br':
      return '<br>';
    case 'link':
      return renderLink(known as Tokens.Link, inside);
    case 'image':
      return renderPicture(known as Tokens.Image, inside);
    case 'html':
      return renderInlineTag(known.text);
    case 'checkbox':
      return known.checked ? '☑ ' : '☐ ';
    default:
      return renderText(known.text ?? '', inside);
  }
}

/** Keeps the tags without attributes that our own Markdown uses; removes any other tag, but not the text inside it. */
function renderInlineTag(tag: string): string {
  return /^<\/?(?:sub|sup)>$/i.test(tag) ? tag.toLowerCase() : /^<br\s?\/?>$/i.test(tag) ? '<br>' : '';
}

function renderLink({ href, tokens }: Tokens.Link, inside: RenderContext): string {
  // Words inside a link are not highlighted, and links do not nest.
  const shown = renderInline(tokens, { ...inside, marked: null, base: '' });
  const address = resolveWebAddress(href, inside.base);
  return address === null ? shown : renderAnchor(address, shown);
}

/** Links to the picture instead: loading it would tell its site who reads the page. */
function renderPicture({ href, text: alt }: Tokens.Image, { base }: RenderContext): string {
  const shown = `Picture${alt.trim() === '' ? '' : `: ${escapeUTF8(alt.trim())}`}`;
  const address = resolveWebAddress(href, base);
  return `<span class="picture">${address === null ? shown : renderAnchor(address, shown)}</span>`;
}

const renderAnchor = (address: string, shown: string): string =>
  `<a href="${escapeUTF8(address)}" rel="noreferrer nofollow">${shown}</a>`;

/** Resolves a web or mail address; null for any other, and inside another link. */
function resolveWebAddress(href: string, base: string): string | null {
  const url = base === '' ? null : URL.parse(decodeHTML(href), base);
  return url !== null && /^(?:https?|mailto):$/.test(url.protocol) && url.href.length <= LINK_CHARS_MAX
    ? url.href
    : null;
}

/** Decodes character references, which the parser leaves in text, and highlights words. */
function renderText(raw: string, { marked }: RenderContext): string {
  return splitAtWords(decodeHTML(raw), marked)
    .map((part, place) => (place % 2 === 1 ? `<mark>${escapeUTF8(part)}</mark>` : escapeUTF8(part)))
    .join('');
}

/** Returns the text of a piece of HTML, without scripts and styles. */
function stripTags(markup: string): string {
  const [before = '', ...parts] = markup.split('<');
  const shown = [before];
  let hidden: string | null = null;
  for (const part of parts) {
    const name = /^\/?[a-z]{1,20}/i.exec(part)?.[0].toLowerCase() ?? '';
    if (hidden === null && (name === 'script' || name === 'style')) hidden = name;
    else if (hidden !== null && name === `/${hidden}`) hidden = null;
    if (hidden === null) shown.push(part.slice(part.indexOf('>') + 1));
  }
  return shown.join(' ').replace(/\s+/g, ' ').trim();
}

/** Shorter words are too common to highlight. */
const WORD_CHARS_MIN = 3;
const WORDS_MAX = 32;
/** Longer words are not highlighted. */
const WORD_CHARS_MAX = 60;

/** Builds a pattern that matches whole words of a query, stop words left out, ignoring case; null if there are none. */
export function buildWordPattern(query: string): RegExp | null {
  const words = (query.match(/[\p{L}\p{N}]+/gu) ?? [])
    .filter((word) => word.length >= WORD_CHARS_MIN && word.length <= WORD_CHARS_MAX)
    .filter((word) => !isStopWord(word.toLowerCase()))
    .slice(0, WORDS_MAX);
  if (words.length === 0) return null;
  return new RegExp(`(?<![\\p{L}\\p{N}])(${words.join('|')})(?![\\p{L}\\p{N}])`, 'giu');
}

/** Splits a text into parts; those at odd indexes are the words to highlight. */
function splitAtWords(text: string, pattern: RegExp | null): string[] {
  return pattern === null ? [text] : text.split(pattern);
}
