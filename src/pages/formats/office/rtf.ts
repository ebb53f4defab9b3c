import type { Article } from '../../article.ts';
import { markdownOfHtml } from '../markdown-of-html.ts';
import { plainArticle } from '../plain-article.ts';
import { createRtfTable } from './rtf-table.ts';
import { type RtfToken, rtfTokens } from './rtf-tokens.ts';
import { createTextFlow, type ParagraphKind, type TextFlow } from './text-flow.ts';

const GROUPS_MAX = 500;
/** Characters that may stand for one by its number. */
const FALLBACK_MAX = 8;
/** Groups that hold no text of the document. */
const LEFT_OUT = new Set(
  (
    'fonttbl colortbl stylesheet info pict object header headerl headerr headerf footer footerl footerr footerf ' +
    'listtable listoverridetable listtext pntext pnseclvl rsidtbl generator themedata colorschememapping datastore ' +
    'latentstyles xmlnstbl fldinst bkmkstart bkmkend nonshppict shppict atnid atnauthor annotation revtbl filetbl ' +
    'mmathPr wgrffmtfilter pgptbl operator'
  ).split(' '),
);
const SYMBOLS: Record<string, string> = {
  tab: ' ',
  '~': '\u00a0',
  _: '-',
  emdash: '—',
  endash: '–',
  bullet: '•',
  lquote: '‘',
  rquote: '’',
  ldblquote: '“',
  rdblquote: '”',
  emspace: ' ',
  enspace: ' ',
  '{': '{',
  '}': '}',
  '\\': '\\',
};

/** Groups whose text says something of the document or of a paragraph. */
const CAPTURED = new Set(['fldinst', 'listtext', 'title', 'author', 'stylesheet']);

type Capture = { name: string; text: string; style: number };

/** What a group changes and its end restores. `capture` collects the texts of a group that is not shown. */
type Group = {
  bold: boolean;
  italic: boolean;
  isLeftOut: boolean;
  capture: Capture | null;
  link: string | null;
  fallbackChars: number;
};
/** The properties of a paragraph, until the next `pard`. */
type Paragraph = {
  level: number;
  style: number;
  list: number | null;
  depth: number;
  isOrdered: boolean;
  inTable: boolean;
};
type Style = { heading: number; isCode: boolean };

const newParagraph = (): Paragraph => ({
  level: 0,
  style: 0,
  list: null,
  depth: 0,
  isOrdered: false,
  inTable: false,
});

/** A Rich Text document as Markdown. */
export function readRtf(bytes: Uint8Array, url: string): Article {
  const reading = newReading();
  for (const token of rtfTokens(bytes)) take(reading, token);
  const { flow, table, info } = reading;
  table.place(false);
  const blocks = table.withSpans(flow.blocks());
  const written = markdownOfHtml(blocks, url);
  return plainArticle(url, {
    kind: 'document',
    title: info.get('title') ?? '',
    author: info.get('author') ?? null,
    ...written,
    rawChars: bytes.length,
  });
}

/** Everything that changes while a document is read. */
type Reading = {
  flow: TextFlow;
  table: ReturnType<typeof createRtfTable>;
  info: Map<string, string>;
  styles: Map<number, Style>;
  groups: Group[];
  group: Group;
  paragraph: Paragraph;
  decoder: InstanceType<typeof TextDecoder>;
  /** Groups deeper than the bound. */
  beyond: number;
  /** Bytes of text that stand for a character which was written by its number. */
  skip: number;
  /** Whether the next word names a group that readers may leave out. */
  isOptional: boolean;
};

function newReading(): Reading {
  const flow = createTextFlow();
  return {
    flow,
    table: createRtfTable(flow),
    info: new Map(),
    styles: new Map(),
    groups: [],
    group: { bold: false, italic: false, isLeftOut: false, capture: null, link: null, fallbackChars: 1 },
    paragraph: newParagraph(),
    decoder: new TextDecoder('windows-1252'),
    beyond: 0,
    skip: 0,
    isOptional: false,
  };
}

function take(reading: Reading, token: RtfToken): void {
  if (token.kind === 'text') {
    const from = Math.min(reading.skip, token.bytes.length);
    reading.skip -= from;
    write(reading, reading.decoder.decode(token.bytes.subarray(from), { stream: true }));
  } else if (token.kind === 'word' && token.word === '*') reading.isOptional = true;
  else if (token.kind === 'word') {
    if (!groupWord(reading, token.word, token.number)) textWord(reading, token.word, token.number);
    reading.isOptional = false;
  } else {
    if (token.kind === 'open') openGroup(reading);
    else closeGroup(reading);
    reading.skip = 0;
    reading.isOptional = false;
  }
}

function write({ group, table, paragraph, flow }: Reading, text: string): void {
  if (group.capture !== null) group.capture.text += text;
  else if (!group.isLeftOut && text !== '') {
    table.place(paragraph.inTable);
    flow.text(text, group);
  }
}

function openGroup(reading: Reading): void {
  if (reading.groups.length >= GROUPS_MAX) {
    reading.beyond += 1;
    return;
  }
  reading.groups.push(reading.group);
  reading.group = { ...reading.group };
}

function closeGroup(reading: Reading): void {
  if (reading.beyond > 0) {
    reading.beyond -= 1;
    return;
  }
  const { capture } = reading.group;
  const outer = reading.groups.pop();
  if (outer === undefined) return;
  reading.group = outer;
  if (capture !== null && outer.capture !== capture) keepCaptured(reading, capture);
}

/** Words that say what their group is, and how its characters are written. */
function groupWord(reading: Reading, name: string, number: number | null): boolean {
  const { group } = reading;
  if (CAPTURED.has(name)) group.capture = { name, text: '', style: 0 };
  else if (LEFT_OUT.has(name) || reading.isOptional) group.isLeftOut = true;
  else if (name in SYMBOLS) write(reading, SYMBOLS[name] ?? '');
  else if (name === 'u' && number !== null) {
    write(reading, String.fromCharCode(number & 0xffff));
    reading.skip = group.fallbackChars;
  } else if (name === 'uc') group.fallbackChars = Math.min(number ?? 1, FALLBACK_MAX);
  else if (name === 'ansicpg') reading.decoder = decoderOf(number);
  else if (group.capture?.name === 'stylesheet') styleWord(group, name, number, reading.styles);
  else return group.isLeftOut;
  return true;
}

/** Words of the text: marks, ends of paragraphs and cells, and the properties of paragraphs. */
function textWord(reading: Reading, name: string, number: number | null): void {
  const { group, flow, table, paragraph, styles } = reading;
  if (name === 'b') group.bold = number !== 0;
  else if (name === 'i') group.italic = number !== 0;
  else if (name === 'plain') [group.bold, group.italic] = [false, false];
  else if (name === 'pard') reading.paragraph = newParagraph();
  else if (name === 'line') flow.inline('<br>');
  else if (name === 'par' || name === 'sect' || name === 'page') {
    table.place(paragraph.inTable);
    flow.paragraph(kindOf(paragraph, styles));
  } else if (name === 'trowd') table.startRow();
  else if (name === 'cellx') table.edge(number ?? 0);
  else if (name === 'cell') table.endCell();
  else if (name === 'row') table.endRow();
  else paragraphWord(paragraph, name, number);
}

function keepCaptured({ info, styles, paragraph, group }: Reading, { name, text, style }: Capture): void {
  if (name === 'title' || name === 'author') info.set(name, text.trim());
  else if (name === 'listtext') paragraph.isOrdered = /[\da-z][.)]/i.test(text);
  else if (name === 'fldinst') group.link = /HYPERLINK\s+"?([^"\s]+)/.exec(text.slice(0, 8_192))?.[1] ?? null;
  else if (name === 'stylesheet') nameStyle(styles, style, text);
}

function decoderOf(codePage: number | null): InstanceType<typeof TextDecoder> {
  try {
    return new TextDecoder(
      codePage === 65001 ? 'utf-8' : codePage === 932 ? 'shift_jis' : `windows-${codePage}`,
    );
  } catch (error) {
    if (error instanceof RangeError) return new TextDecoder('windows-1252');
    throw error;
  }
}

/** The words of a style before its name: its number and its level. */
function styleWord(group: Group, name: string, number: number | null, styles: Map<number, Style>): void {
  if (group.capture === null || number === null) return;
  if (name === 's') {
    group.capture = { name: 'stylesheet', text: '', style: number };
  } else if (name === 'outlinelevel' && number < 9)
    styles.set(group.capture.style, { heading: number + 1, isCode: false });
}

function nameStyle(styles: Map<number, Style>, style: number, name: string): void {
  const level = /^\s*heading (\d)\s*;/i.exec(name)?.[1];
  const heading = level === undefined ? (styles.get(style)?.heading ?? 0) : Number(level);
  styles.set(style, { heading, isCode: /preformatted|\bcode\b/i.test(name) });
}

function paragraphWord(paragraph: Paragraph, name: string, number: number | null): void {
  if (name === 's') paragraph.style = number ?? 0;
  else if (name === 'outlinelevel') paragraph.level = number !== null && number < 9 ? number + 1 : 0;
  else if (name === 'ls') paragraph.list = number;
  else if (name === 'ilvl') paragraph.depth = number ?? 0;
  else if (name === 'intbl') paragraph.inTable = true;
}

function kindOf(
  { level, style, list, depth, isOrdered }: Paragraph,
  styles: Map<number, Style>,
): ParagraphKind {
  const { heading = 0, isCode = false } = styles.get(style) ?? {};
  const headingLevel = level > 0 ? level : heading;
  if (headingLevel > 0) return { kind: 'heading', level: Math.min(headingLevel, 6) };
  if (isCode) return { kind: 'code' };
  return list === null || list === 0 ? { kind: 'text' } : { kind: 'item', level: depth, ordered: isOrdered };
}
