import { decodeHTML } from 'entities';

const BRACKETS: Record<string, string> = { '{{': '}}', '{|': '|}', '[[': ']]' };
/** Elements that are dropped with their content. */
const DROPPED = /<(ref|gallery|timeline|imagemap|score|templatestyles|indicator)\b[^<>]{0,500}?(\/)?>/gi;
const TAG = /<\/?[a-z][a-z0-9]{0,20}(?:\s[^<>]{0,500})?\/?>/gi;
/** Links to files and categories, which have no text, in several languages. */
const NO_TEXT =
  /^:?(?:file|image|category|datei|bild|kategorie|fichier|catégorie|archivo|categoría|immagine|categoria|файл|категория)\s?:/i;

/**
 * Converts an article to Markdown: keeps headings, lists, emphasis and link texts; drops templates, tables, references, pictures and
 * categories. Takes time linear in the length.
 */
export function convertWikitext(wikitext: string): string {
  const text = stripBlocks(stripElements(stripComments(wikitext)));
  const lines = text.split('\n').map((line) => convertLine(decodeHTML(line.replace(TAG, convertTag))));
  return lines
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

function stripComments(text: string): string {
  return text
    .split('<!--')
    .map((part, at) => (at === 0 ? part : part.includes('-->') ? part.slice(part.indexOf('-->') + 3) : ''))
    .join('');
}

function stripElements(text: string): string {
  let kept = '';
  let at = 0;
  for (const match of text.matchAll(DROPPED)) {
    if (match.index < at) continue;
    const [all, name = '', selfClosed] = match;
    const end = selfClosed === undefined ? findElementEnd(text, name, match.index) : match.index + all.length;
    if (end === -1) continue;
    kept += text.slice(at, match.index);
    at = end;
  }
  return kept + text.slice(at);
}

/** Maximum characters of a dropped element, so that a missing end tag does not drop the rest of the page. */
const ELEMENT_CHARS_MAX = 20_000;

function findElementEnd(text: string, name: string, from: number): number {
  const closing = `</${name.toLowerCase()}>`;
  const end = text
    .slice(from, from + ELEMENT_CHARS_MAX)
    .toLowerCase()
    .indexOf(closing);
  return end === -1 ? -1 : from + end + closing.length;
}

type OpenBlock = { sign: string; text: string };

/** Drops templates and tables with everything nested in them; replaces links with their texts. */
function stripBlocks(text: string): string {
  const open: OpenBlock[] = [{ sign: '', text: '' }];
  for (let at = 0; at < text.length; ) {
    const top = open.at(-1) as OpenBlock;
    const pair = text.slice(at, at + 2);
    if (BRACKETS[top.sign] === pair) {
      open.pop();
      const outer = open.at(-1) as OpenBlock;
      outer.text += top.sign === '[[' ? parseLinkText(top.text) : '';
      at += 2;
    } else if (pair in BRACKETS) {
      open.push({ sign: pair, text: '' });
      at += 2;
    } else {
      const next = findNextSign(text, at + 1);
      top.text += text.slice(at, next);
      at = next;
    }
  }
  // Brackets that are never closed take nothing with them.
  return open.map(({ text: rest }) => rest).join('');
}

const SIGN = /\{\{|\}\}|\{\||\|\}|\[\[|\]\]/g;

function findNextSign(text: string, from: number): number {
  SIGN.lastIndex = from;
  return SIGN.exec(text)?.index ?? text.length;
}

/** Returns the text of `[[Target|text]]`. */
function parseLinkText(inside: string): string {
  if (NO_TEXT.test(inside)) return '';
  return inside.slice(inside.lastIndexOf('|') + 1).replace(/^:/, '');
}

function convertTag(tag: string): string {
  if (/^<br/i.test(tag)) return ' ';
  return /^<\/?(?:code|tt|kbd|samp)\b/i.test(tag) ? '`' : '';
}

const EXTERNAL = /\[(https?:\/\/[^\s[\]]{1,2000})(?:[ \t]([^[\]\n]{1,500}))?\]/g;

function convertLine(line: string): string {
  const heading = /^(={1,6})([^=\n].{0,300}?)\1\s*$/.exec(line);
  if (heading !== null)
    return `${'#'.repeat(heading[1]?.length ?? 1)} ${convertInline(heading[2] ?? '').trim()}`;
  const list = /^([*#:;]{1,9})\s*(.*)$/s.exec(line);
  if (list === null) return /^__[A-Z]{3,20}__$/.test(line.trim()) ? '' : convertInline(line);
  const [, signs = '', text = ''] = list;
  const last = signs.at(-1);
  if (last === ';') return `**${convertInline(text).trim()}**`;
  const indent = '  '.repeat(signs.length - 1);
  return last === ':'
    ? `${indent}${convertInline(text)}`
    : `${indent}${last === '#' ? '1.' : '-'} ${convertInline(text)}`;
}

function convertInline(text: string): string {
  return text
    .replace(EXTERNAL, (_all, url: string, label: string | undefined) =>
      label === undefined ? '' : `[${label}](${url})`,
    )
    .replaceAll("'''''", '***')
    .replaceAll("'''", '**')
    .replaceAll("''", '*');
}
