import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { extractHtml } from '../../src/pages/extract/extract-html.ts';
import { tokenizeWords } from '../../src/text/words/words.ts';
import type { PassageSet, Span } from './passage-sets.ts';

const FILES_MAX = 250;
const PAGES_MAX = 60;
const ANCHORS_MAX = 4;
const BYTES_MAX = 600_000;
const PAGE_CHARS_MIN = 4_000;
const SECTION_CHARS_MAX = 700;
/** Links that repeat the heading that they lead to are asked this seldom. */
const REPEATED_STEP = 5;
const MARK = /zqx(\d+)xqz ?\n*/;
const LINK =
  /<a\b[^>]{0,300}?\bhref="([^"#]{0,200})#([^"]{1,120})"[^>]{0,200}>((?:(?!<\/a>)[\s\S]){1,300})<\/a>/g;

/**
 * What other places of a manual call a section: texts of links and entries of indexes as questions, and what stands at their anchor as the
 * answer. Mostly those that use other words than its heading.
 */
export function anchorSet(folders: readonly string[]): PassageSet {
  const set: PassageSet = { name: 'anchors', pages: [], questions: [] };
  for (const folder of folders) addFolder(set, folder);
  return set;
}

function addFolder(set: PassageSet, folder: string): void {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.html') && statSync(join(folder, path)).isFile())
    .sort();
  const step = Math.max(1, files.length / FILES_MAX);
  const asked = new Map<string, Map<string, string>>();
  for (let at = 0; at < files.length; at += step) readLinks(folder, files[Math.floor(at)] ?? '', asked);
  const pages = [...asked].filter(([page]) => existsSync(join(folder, page)));
  const pageStep = Math.max(1, pages.length / PAGES_MAX);
  for (let at = 0; at < pages.length; at += pageStep) {
    const [page, anchors] = pages[Math.floor(at)] ?? [];
    if (page !== undefined && anchors !== undefined) addPage(set, join(folder, page), anchors);
  }
}

function readLinks(folder: string, file: string, asked: Map<string, Map<string, string>>): void {
  const html = readFileSync(join(folder, file), 'utf8').slice(0, BYTES_MAX);
  for (const [, href = '', anchor = '', inner = ''] of html.matchAll(LINK)) {
    if (/^[a-z]+:|^\//.test(href)) continue;
    const text = plain(inner);
    const words = text.split(' ').length;
    if (words < 2 || words > 9 || /^\(|^Section|Chapter/.test(text) || !/[a-z]{3}.*[a-z]{3}/.test(text))
      continue;
    const page = href === '' ? file : normalize(join(dirname(file), href));
    const anchors = asked.get(page) ?? new Map<string, string>();
    if (!anchors.has(anchor)) anchors.set(anchor, text);
    asked.set(page, anchors);
  }
}

const plain = (html: string): string =>
  html
    .replace(/<[^>]{0,300}>/g, '')
    .replace(/&[a-z#0-9]{1,8};/g, ' ')
    .replace(/^[\s\d.§]+|[¶\s]+$/g, '')
    .replace(/\s+/g, ' ');

/** Reads the page with a mark at each anchor; the marks are taken out of its Markdown again. */
function addPage(set: PassageSet, path: string, anchors: Map<string, string>): void {
  let html = readFileSync(path, 'utf8');
  if (html.length > BYTES_MAX) return;
  const texts = [...anchors];
  for (const [place, [anchor]] of texts.entries()) {
    const at = Math.max(html.indexOf(`id="${anchor}"`), html.indexOf(`name="${anchor}"`));
    const end = at === -1 ? -1 : html.indexOf('>', at);
    if (end !== -1) html = `${html.slice(0, end + 1)}zqx${place}xqz ${html.slice(end + 1)}`;
  }
  const marked = extractHtml(html, `https://manual.example/${path}`).markdown.split(MARK);
  // Text, number, text, number, ..., text.
  const markdown = marked.filter((_, place) => place % 2 === 0).join('');
  if (markdown.length < PAGE_CHARS_MIN) return;
  const places: { at: number; text: string }[] = [];
  let at = 0;
  for (const [place, part] of marked.entries())
    if (place % 2 === 0) at += part.length;
    else places.push({ at, text: texts[Number(part)]?.[1] ?? '' });
  const chosen = places.filter(
    ({ at, text }, place) => place % REPEATED_STEP === 0 || !repeats(markdown, at, text),
  );
  const step = Math.ceil(chosen.length / ANCHORS_MAX);
  const page = set.pages.push({ id: path, markdown, language: 'en' }) - 1;
  for (const { at: start, text } of chosen.filter((_, place) => place % step === 0)) {
    const answers = sectionAt(markdown, start);
    if (answers.length > 0) set.questions.push({ page, text, answers });
  }
}

/** Whether the line at the anchor has all words of the link. */
function repeats(markdown: string, at: number, text: string): boolean {
  const line = new Set(
    tokenizeWords(/^\s*(?:#{1,6} |- ).{0,200}/.exec(markdown.slice(at, at + 220))?.[0] ?? '', 'en'),
  );
  return tokenizeWords(text, 'en').every((word) => line.has(word));
}

/** The first paragraphs of what the anchor names. */
function sectionAt(markdown: string, at: number): Span[] {
  const text = markdown.slice(at, at + SECTION_CHARS_MAX);
  const next = text.slice(1).search(/\n#{1,6} |\n- \*\*/);
  const section = next === -1 ? text : text.slice(0, next + 1);
  const spans: Span[] = [];
  for (const { 0: paragraph, index } of section.matchAll(/\S(?:[^\n]|\n(?!\n))*/g))
    if (!/^#{1,6} /.test(paragraph) && spans.length < 2)
      spans.push({ start: at + index, end: at + index + Math.min(paragraph.length, 60) });
  return spans;
}
