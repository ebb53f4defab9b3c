import { escapeUTF8 } from 'entities';
import type { Article } from '../../article.ts';
import { convertToMarkdown } from '../convert-html.ts';
import { buildPlainArticle } from '../plain-article.ts';
import { createMathReader } from './office-math.ts';
import { createTextFlow, type ParagraphKind, type TextFlow } from './text-flow.ts';
import { type Relation, readProperties, readRelations, readXml } from './xml.ts';
import type { Zip } from './zip.ts';

const CHAIN_MAX = 10;

/** Reads a Word document (ECMA-376, WordprocessingML) as Markdown: deleted text and fallbacks are left out, notes come at the end. */
export function readDocx(zip: Zip, url: string): Article {
  const xml = zip.text('word/document.xml');
  const styles = readStyles(zip.text('word/styles.xml'));
  const numbering = readNumbering(zip.text('word/numbering.xml'));
  const readPart = (name: string): Part => ({
    relations: readRelations(zip.text(`word/_rels/${name}.xml.rels`), 'word'),
    styles,
    numbering,
  });
  const blocks = readBody(xml, readPart('document')).blocks();
  for (const kind of ['footnotes', 'endnotes'])
    blocks.push(...readNoteBlocks(zip.text(`word/${kind}.xml`), kind, readPart(kind)));
  const written = convertToMarkdown(blocks, url);
  return buildPlainArticle(url, {
    kind: 'document',
    ...readProperties(zip),
    ...written,
    rawChars: xml.length,
  });
}

type Part = {
  relations: Map<string, Relation>;
  styles: DocxStyles;
  numbering: ReturnType<typeof readNumbering>;
};

/** Elements that are skipped: fallbacks repeat text boxes, and deleted or moved text is no longer part of the document. */
const LEFT_OUT = new Set(['mc:Fallback', 'w:del', 'w:moveFrom']);

/** The state of one paragraph and its run. */
type State = {
  style: string;
  level: string | null;
  list: string | null;
  bold: boolean;
  italic: boolean;
  struck: boolean;
  link: string | null;
  outline: string | null;
};
const createState = (): State => ({
  style: '',
  level: null,
  list: null,
  bold: false,
  italic: false,
  struck: false,
  link: null,
  outline: null,
});

/** Reads paragraphs and tables. */
function readBody(xml: string, part: Part): TextFlow {
  const flow = createTextFlow();
  // Text boxes nest paragraphs within paragraphs; nested tables nest cells within cells.
  const outer: State[] = [];
  const cells: Cell[] = [];
  let state = createState();
  let silent = 0;
  const math = createMathReader();
  const openCell = (): void => {
    const cell = cells.at(-1);
    if (cell === undefined || cell.isOpen) return;
    cell.isOpen = true;
    flow.openCell({ columns: cell.columns, rows: 1 });
  };
  const open = (name: string, attributes: Record<string, string>, names: readonly string[]): void => {
    const cell = cells.at(-1);
    if (name === 'w:p' || name === 'w:tbl') openCell();
    if (name === 'w:p') {
      // The text before a text box is a paragraph of its own.
      if (outer.length > 0) flow.paragraph(resolveParagraphKind(state, part));
      outer.push(state);
      state = createState();
    } else if (name === 'w:tbl') flow.openTable();
    else if (name === 'w:tr') flow.openRow();
    else if (name === 'w:tc') cells.push({ columns: 1, isOpen: false });
    else if (name === 'w:gridSpan' && cell !== undefined) cell.columns = Number(attributes['w:val']) || 1;
    else readParagraphElement(name, attributes, { state, flow, part, names });
  };
  const close = (name: string): void => {
    if (name === 'w:p') {
      flow.paragraph(resolveParagraphKind(state, part));
      state = outer.pop() ?? createState();
    } else if (name === 'w:hyperlink') state.link = null;
    else if (name === 'w:r') [state.bold, state.italic, state.struck] = [false, false, false];
    else if (name === 'w:tr') flow.closeRow();
    else if (name === 'w:tbl') flow.closeTable();
    else if (name === 'w:tc') {
      openCell();
      flow.closeCell();
      cells.pop();
    }
  };
  readXml(xml, {
    open(name, attributes, names) {
      if (LEFT_OUT.has(name)) silent += 1;
      if (silent > 0) return;
      if (isFormula(name, names)) math.open(name, attributes);
      else open(name, attributes, names);
    },
    text(text, name) {
      if (silent > 0) return;
      if (name === 'm:t') math.text(text);
      else if (name === 'w:t') flow.text(text, state);
    },
    close(name, names) {
      if (silent === 0) {
        if (isFormula(name, names)) flow.inline(math.close(name) ?? '');
        else close(name);
      }
      if (LEFT_OUT.has(name)) silent -= 1;
    },
  });
  return flow;
}

/** Checks for an element of a formula; the properties of its letters are those of text. */
const isFormula = (name: string, names: readonly string[]): boolean =>
  name.startsWith('m:') && name !== 'm:oMathPara' && names.includes('m:oMath');

type Cell = { columns: number; isOpen: boolean };

/** Reads the properties and inline elements of a paragraph. */
function readParagraphElement(
  name: string,
  attributes: Record<string, string>,
  { state, flow, part, names }: { state: State; flow: TextFlow; part: Part; names: readonly string[] },
): void {
  const value = attributes['w:val'];
  const isOn = value !== '0' && value !== 'false' && value !== 'none';
  if (name === 'w:pStyle') state.style = value ?? '';
  else if (name === 'w:ilvl') state.level = value ?? null;
  else if (name === 'w:numId') state.list = value ?? null;
  else if (name === 'w:outlineLvl') state.outline = value ?? null;
  else if (name === 'w:b' && names.includes('w:r')) state.bold = isOn;
  else if (name === 'w:i' && names.includes('w:r')) state.italic = isOn;
  else if ((name === 'w:strike' || name === 'w:dstrike') && names.includes('w:r')) state.struck = isOn;
  else if (name === 'w:hyperlink') state.link = part.relations.get(attributes['r:id'] ?? '')?.target ?? null;
  else if (name === 'w:tab' && names.includes('w:r')) flow.text(' ');
  else if (name === 'w:noBreakHyphen') flow.text('-');
  else if (name === 'w:br' || name === 'w:cr') flow.inline('<br>');
  else if (name === 'w:footnoteReference' || name === 'w:endnoteReference') {
    const note = formatNoteId(name.slice(2, -'Reference'.length), attributes['w:id'] ?? '');
    flow.inline(`<sup><a href="#${note}">${escapeUTF8(attributes['w:id'] ?? '')}</a></sup>`);
  }
}

const formatNoteId = (kind: string, id: string): string => `${kind}-${id.replace(/[^\w-]/g, '')}`;

function resolveParagraphKind(
  { style, level, list, outline }: State,
  { styles, numbering }: Part,
): ParagraphKind {
  const known = styles.get(style);
  const heading = outline !== null && /^[0-8]$/.test(outline) ? Number(outline) + 1 : (known?.heading ?? 0);
  if (heading > 0) return { kind: 'heading', level: Math.min(heading, 6) };
  if (known?.isCode) return { kind: 'code' };
  const listId = list ?? known?.list ?? null;
  if (listId === null || listId === '0') return { kind: 'text' };
  const depth = Number(level ?? known?.level ?? 0) || 0;
  const { ordered = false, start = 1 } =
    numbering.get(`${listId} ${depth}`) ?? numbering.get(`${listId} 0`) ?? {};
  return { kind: 'item', level: depth, ordered, start };
}

/** Reads the notes of one kind as a list that the marks in the text link to. Ids below 1 are separators. */
function readNoteBlocks(xml: string, kind: string, part: Part): string[] {
  if (xml === '') return [];
  const notes: { id: string; flow: TextFlow }[] = [];
  const pieces = xml.split(/(?=<w:(?:footnote|endnote)\s)/).slice(1);
  for (const piece of pieces) {
    const id = /\bw:id="(-?\d+)"/.exec(piece.slice(0, piece.indexOf('>')))?.[1] ?? '0';
    if (Number(id) > 0) notes.push({ id: formatNoteId(kind.slice(0, -1), id), flow: readBody(piece, part) });
  }
  const items = notes.map(({ id, flow }) => `<li id="${id}">${flow.blocks().join('')}</li>`);
  return items.length === 0 ? [] : [`<section class="footnotes"><ol>${items.join('')}</ol></section>`];
}

/** The properties of a paragraph style; `heading` is 0 for text. */
type DocxStyle = { heading: number; isCode: boolean; list: string | null; level: string | null };

type DocxStyles = Map<string, DocxStyle>;

/** Reads the paragraph styles by id, with what they inherit from the styles that they are based on. */
function readStyles(xml: string): DocxStyles {
  const raw = new Map<
    string,
    { name: string; basedOn: string; outline: string | null; list: string | null; level: string | null }
  >();
  let id = '';
  readXml(xml, {
    open(name, attributes) {
      const value = attributes['w:val'] ?? '';
      const style = raw.get(id);
      if (name === 'w:style') {
        id = attributes['w:styleId'] ?? '';
        raw.set(id, { name: '', basedOn: '', outline: null, list: null, level: null });
      } else if (style === undefined) return;
      else if (name === 'w:name') style.name = value;
      else if (name === 'w:basedOn') style.basedOn = value;
      else if (name === 'w:outlineLvl') style.outline = value;
      else if (name === 'w:numId') style.list = value;
      else if (name === 'w:ilvl') style.level = value;
    },
  });
  const styles: DocxStyles = new Map();
  for (const key of raw.keys()) {
    const found: DocxStyle = { heading: 0, isCode: false, list: null, level: null };
    let style = raw.get(key);
    for (let link = 0; style !== undefined && link < CHAIN_MAX; link += 1, style = raw.get(style.basedOn)) {
      found.heading ||= resolveHeadingLevel(style);
      found.isCode ||= /\b(?:code|preformatted|source|listing)\b/i.test(style.name);
      found.list ??= style.list;
      found.level ??= style.level ?? readNamedLevel(style.name);
    }
    styles.set(key, found);
  }
  return styles;
}

/** Reads the level in the name of one of Word's own list styles, such as "List Bullet 2", whose list has one level only. */
function readNamedLevel(name: string): string | null {
  const level = /^list (?:bullet|number|continue) ([2-5])$/i.exec(name)?.[1];
  return level === undefined ? null : String(Number(level) - 1);
}

function resolveHeadingLevel({ name, outline }: { name: string; outline: string | null }): number {
  if (/^title$/i.test(name)) return 1;
  const level = /^heading (\d)$/i.exec(name)?.[1];
  if (level !== undefined) return Number(level);
  return outline !== null && /^[0-8]$/.test(outline) ? Number(outline) + 1 : 0;
}

/** Reads the levels of all lists by "list level": whether they are numbered, and from which number. */
function readNumbering(xml: string): Map<string, { ordered: boolean; start: number }> {
  const kinds = new Map<string, { ordered: boolean; start: number }>();
  const levels = new Map<string, { ordered: boolean; start: number }>();
  let kind = '';
  let list = '';
  let level = '';
  readXml(xml, {
    open(name, attributes) {
      const value = attributes['w:val'] ?? '';
      if (name === 'w:abstractNum') kind = attributes['w:abstractNumId'] ?? '';
      else if (name === 'w:lvl') {
        level = attributes['w:ilvl'] ?? '0';
        kinds.set(`${kind} ${level}`, { ordered: false, start: 1 });
      } else if (name === 'w:numFmt')
        setLevel(kinds, `${kind} ${level}`, { ordered: value !== 'bullet' && value !== 'none' });
      else if (name === 'w:start') setLevel(kinds, `${kind} ${level}`, { start: Number(value) || 1 });
      else if (name === 'w:num') list = attributes['w:numId'] ?? '';
      else if (name === 'w:abstractNumId') {
        for (let at = 0; at < 9; at += 1) {
          const found = kinds.get(`${value} ${at}`);
          if (found !== undefined) levels.set(`${list} ${at}`, found);
        }
      }
    },
  });
  return levels;
}

function setLevel(
  kinds: Map<string, { ordered: boolean; start: number }>,
  key: string,
  more: Partial<{ ordered: boolean; start: number }>,
): void {
  const known = kinds.get(key);
  if (known !== undefined) kinds.set(key, { ...known, ...more });
}
