import { findSentenceEnds } from '../chunk/sentences.ts';
import { toPlainPage } from '../markup/visible-text.ts';

/** A sentence of a text, without its marks, and the addresses that it cites. */
type CitedStatement = { text: string; urls: string[] };

const WORDS_MIN = 3;

const REFERENCE = /^[ \t]*(?:[-*+][ \t]+)?\[\^?([\w-]{1,20})\]:?[ \t]/;
const LISTED = /^[ \t]*(\d{1,3})[.)][ \t]/;
const SOURCES_HEADING =
  /^[ \t]*(?:#{1,6}[ \t]+|\*\*)?(?:sources|references|bibliography|works cited|notes|citations|quellen|literatur|fuentes|références)(?:\*\*)?:?[ \t]*$/i;
const LINK =
  /\[([^[\]\n]{0,500})\]\(<?(https?:\/\/[^\s()<>]+(?:\([^\s()<>]{0,200}\)[^\s()<>]{0,200})?)>?(?:[ \t]"[^"\n]{0,300}")?\)/g;
const MARKS = /\[\^?([\w-]{1,20}(?:[ \t]*[,;][ \t]*\^?[\w-]{1,20}){0,9})\]/g;
const BARE = /https?:\/\/[^\s<>[\]]+/g;
/** The marks of a sentence may stand behind its full stop. */
const LEADING_MARKS =
  /^(?:[ \t]*(?:\[\^?[\w-]{1,20}(?:[ \t]*[,;][ \t]*\^?[\w-]{1,20}){0,9}\](?!\()|\((?:\[[^[\]\n]{0,300}\]\(https?:\/\/[^\s()]+\)[,; ]*){1,5}\)))+/;

/**
 * Reads the statements of a text with their citations: Markdown links, footnotes (`[^1]`), numbers (`[1]`, `[1, 2]`) with a list of
 * sources below, and bare addresses. A sentence without any has no `urls`.
 */
export function readCitedText(text: string): CitedStatement[] {
  const { lines, references } = splitReferences(text);
  return lines
    .flatMap(splitLine)
    .map((sentence) => readStatement(sentence, references))
    .filter((one) => one.text.split(/\s+/).length >= WORDS_MIN);
}

function splitReferences(text: string): { lines: string[]; references: Map<string, string> } {
  const references = new Map<string, string>();
  const lines: string[] = [];
  let isBelowHeading = false;
  for (const line of text.split('\n')) {
    if (SOURCES_HEADING.test(line)) {
      isBelowHeading = true;
      continue;
    }
    const reference = findReference(line, isBelowHeading);
    if (reference === null) lines.push(line);
    else references.set(reference.label, trimAddress(reference.url));
  }
  return { lines, references };
}

/** Finds what a line of the list of sources names. Lines that begin with a number must also end with their address. */
function findReference(line: string, isBelowHeading: boolean): { label: string; url: string } | null {
  const addresses = line.match(BARE) ?? [];
  const [, label] = REFERENCE.exec(line) ?? [];
  const url = addresses[0];
  if (label !== undefined && url !== undefined) return { label, url };
  const [, number] = (isBelowHeading ? LISTED.exec(line) : null) ?? [];
  const last = addresses.at(-1);
  if (number === undefined || last === undefined) return null;
  const end = line.trimEnd();
  return end.endsWith(last) || end.endsWith(`${last}>`) ? { label: number, url: last } : null;
}

/** Splits a line into sentences, each with the marks behind it. Headings, rules and code are no statements. */
function splitLine(written: string): string[] {
  const line = written.replace(/([.!?])(?=\[\^?[\w-]{1,20}\])/g, '$1 ');
  if (/^[ \t]*(?:#{1,6}[ \t]|```|~~~|:?-{3}|\|[ \t]*:?-{3})/.test(line)) return [];
  const ends = [...findSentenceEnds(line), line.length];
  const sentences: string[] = [];
  for (const [place, end] of ends.entries()) {
    const piece = line.slice(ends[place - 1] ?? 0, end);
    const marks = sentences.length === 0 ? '' : (LEADING_MARKS.exec(piece)?.[0] ?? '');
    if (marks !== '') sentences[sentences.length - 1] += marks;
    const rest = piece.slice(marks.length);
    if (rest.trim() !== '') sentences.push(rest);
  }
  return sentences;
}

function readStatement(sentence: string, references: ReadonlyMap<string, string>): CitedStatement {
  const linked = [...sentence.matchAll(LINK)].map(([, , url = '']) => url);
  const withoutLinks = sentence.replace(LINK, (_, label: string) => (isMark(label) ? '' : label));
  const marked = [...withoutLinks.matchAll(MARKS)].flatMap(([, labels = '']) =>
    labels.split(/[,;]/).flatMap((label) => references.get(label.replace('^', '').trim()) ?? []),
  );
  const bare = withoutLinks.match(BARE) ?? [];
  const text = toPlainPage(
    withoutLinks
      .replace(MARKS, (mark, labels: string) => (isKnown(labels, references) ? '' : mark))
      .replace(BARE, (url) => url.slice(trimAddress(url).length)),
  )
    .replace(/^[ \t]*(?:[-*+]|\d{1,3}[.)])[ \t]+/, '')
    .replace(/\s+/g, ' ')
    .replace(/\( ?[,;]? ?\)/g, '')
    .replace(/ {1,9}([.,;:!?])/g, '$1')
    .replace(/\s+/g, ' ')
    .trim();
  return { text, urls: [...new Set([...linked, ...marked, ...bare].map(trimAddress))] };
}

const isKnown = (labels: string, references: ReadonlyMap<string, string>): boolean =>
  labels
    .split(/[,;]/)
    .every((label) => references.has(label.replace('^', '').trim()) || /^\d+$/.test(label.trim()));

/** The label of a link that is a mark and no part of the sentence. */
const isMark = (label: string): boolean =>
  /^\^?\d{1,3}$|^(?:source|link|quelle|ref|here)$/i.test(label.trim());

/** A bracket that the address did not open belongs to the text around it. */
function trimAddress(url: string): string {
  const bare = url.replace(/(?<![.,;:!?])[.,;:!?]+$/, '');
  return bare.endsWith(')') && !bare.includes('(') ? trimAddress(bare.slice(0, -1)) : bare;
}
