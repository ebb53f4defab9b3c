import type { Article } from '../../article.ts';
import { convertToMarkdown } from '../convert-html.ts';
import { buildPlainArticle } from '../plain-article.ts';
import { createTextFlow, type ParagraphKind, type TextFlow } from './text-flow.ts';
import { readProperties, readXml } from './xml.ts';
import type { Zip } from './zip.ts';

const SPACES_MAX = 200;

/** Reads a text document or presentation of the OpenDocument Format (ISO/IEC 26300) as Markdown. */
export function readOdf(zip: Zip, url: string): Article {
  const xml = zip.text('content.xml');
  const styles = readStyles(`${zip.text('styles.xml')}`, readStyles(xml));
  const written = convertToMarkdown(readContent(xml, styles), url);
  return buildPlainArticle(url, {
    kind: 'document',
    ...readProperties(zip),
    ...written,
    rawChars: xml.length,
  });
}

type OdfStyle = { bold?: boolean; italic?: boolean; isCode: boolean };
type OdfStyles = { texts: Map<string, OdfStyle>; orderedLists: Set<string> };

function readStyles(xml: string, into: OdfStyles = { texts: new Map(), orderedLists: new Set() }): OdfStyles {
  let name = '';
  let list = '';
  readXml(xml, {
    open(element, attributes) {
      if (element === 'style:style') {
        name = attributes['style:name'] ?? '';
        const parent = into.texts.get(attributes['style:parent-style-name'] ?? '');
        const isCode = /preformatted|source|code/i.test(
          `${name} ${attributes['style:parent-style-name'] ?? ''}`,
        );
        into.texts.set(name, { ...parent, isCode: isCode || parent?.isCode === true });
      } else if (element === 'style:text-properties') {
        const style = into.texts.get(name);
        if (style === undefined) return;
        if (attributes['fo:font-weight'] !== undefined)
          style.bold = /bold|[6-9]00/.test(attributes['fo:font-weight']);
        if (attributes['fo:font-style'] !== undefined)
          style.italic = attributes['fo:font-style'] === 'italic';
      } else if (element === 'text:list-style') list = attributes['style:name'] ?? '';
      else if (
        element === 'text:list-level-style-number' &&
        attributes['text:level'] === '1' &&
        attributes['style:num-format'] !== ''
      )
        into.orderedLists.add(list);
    },
  });
  return into;
}

/** Elements whose text is not part of the document: comments, deleted text, and marks of notes. */
const LEFT_OUT = new Set([
  'office:annotation',
  'text:tracked-changes',
  'text:note-citation',
  'draw:object',
  'svg:title',
  'svg:desc',
  'presentation:notes',
  'office:forms',
  'table:tracked-changes',
]);

/** The open elements while the content is read; a note has its own flow. */
type OpenOdfElements = {
  flow: TextFlow;
  link: string | null;
  /** Marks of the open paragraphs and spans, each including those around it. */
  marks: OdfStyle[];
  /** Kinds of the open paragraphs. */
  paragraphs: ParagraphKind[];
  /** Styles of the open lists. */
  lists: string[];
  /** Whether the open frame is the title of a slide. */
  isTitle: boolean;
};

const createOpenElements = (): OpenOdfElements => ({
  flow: createTextFlow(),
  link: null,
  marks: [],
  paragraphs: [],
  lists: [],
  isTitle: false,
});

function readContent(xml: string, styles: OdfStyles): string[] {
  const main = createOpenElements();
  let open = main;
  const notes: string[] = [];
  let slides = 0;
  let silent = 0;
  let isBody = false;
  const startElement = (name: string, attributes: Record<string, string>): void => {
    if (name === 'text:note') {
      main.flow.inline(`<sup><a href="#footnote-${notes.length + 1}">${notes.length + 1}</a></sup>`);
      open = createOpenElements();
    } else if (name === 'draw:page') {
      slides += 1;
      main.flow.paragraph({ kind: 'text' });
      main.flow.text(`Slide ${slides}`);
      main.flow.paragraph({ kind: 'heading', level: 2 });
    } else openElement(name, attributes, open, styles);
  };
  readXml(xml, {
    open(name, attributes) {
      isBody ||= name === 'office:body';
      if (LEFT_OUT.has(name)) silent += 1;
      if (isBody && silent === 0) startElement(name, attributes);
    },
    text(text) {
      if (isBody && silent === 0 && open.paragraphs.length > 0)
        open.flow.text(text.replace(/\s+/g, ' '), { ...open.marks.at(-1), link: open.link });
    },
    close(name) {
      if (isBody && silent === 0 && name === 'text:note') {
        notes.push(`<li id="footnote-${notes.length + 1}">${open.flow.blocks().join('')}</li>`);
        open = main;
      } else if (isBody && silent === 0) closeElement(name, open);
      if (LEFT_OUT.has(name)) silent -= 1;
    },
  });
  const blocks = main.flow.blocks();
  if (notes.length > 0) blocks.push(`<section class="footnotes"><ol>${notes.join('')}</ol></section>`);
  return blocks;
}

function openElement(
  name: string,
  attributes: Record<string, string>,
  open: OpenOdfElements,
  styles: OdfStyles,
): void {
  const { flow, lists, marks } = open;
  const style = styles.texts.get(attributes['text:style-name'] ?? '');
  if (name === 'text:h') {
    open.paragraphs.push({
      kind: 'heading',
      level: Math.min(Number(attributes['text:outline-level']) || 1, 6),
    });
    marks.push({ isCode: false });
  } else if (name === 'text:p') {
    const ordered = styles.orderedLists.has(lists[0] ?? '');
    const inList: ParagraphKind = { kind: 'item', level: lists.length - 1, ordered };
    if (open.isTitle) open.paragraphs.push({ kind: 'heading', level: 3 });
    else open.paragraphs.push(lists.length > 0 ? inList : { kind: style?.isCode === true ? 'code' : 'text' });
    marks.push({ ...style, isCode: false });
  } else if (name === 'text:span') marks.push({ isCode: false, ...marks.at(-1), ...style });
  else if (name === 'draw:frame') open.isTitle = attributes['presentation:class'] === 'title';
  else if (name === 'text:a') open.link = attributes['xlink:href'] ?? null;
  else if (name === 'text:s') flow.text(' '.repeat(Math.min(Number(attributes['text:c']) || 1, SPACES_MAX)));
  else if (name === 'text:tab') flow.text(' ');
  else if (name === 'text:line-break') flow.inline('<br>');
  else if (name === 'text:list') lists.push(attributes['text:style-name'] ?? lists.at(-1) ?? '');
  else if (name === 'table:table') flow.openTable();
  else if (name === 'table:table-row') flow.openRow();
  else if (name === 'table:table-cell')
    flow.openCell({
      columns: Number(attributes['table:number-columns-spanned']) || 1,
      rows: Number(attributes['table:number-rows-spanned']) || 1,
    });
}

function closeElement(name: string, open: OpenOdfElements): void {
  const { flow } = open;
  if (name === 'text:p' || name === 'text:h') {
    open.marks.pop();
    flow.paragraph(open.paragraphs.pop() ?? { kind: 'text' });
  } else if (name === 'text:span') open.marks.pop();
  else if (name === 'text:a') open.link = null;
  else if (name === 'text:list') open.lists.pop();
  else if (name === 'table:table-cell') flow.closeCell();
  else if (name === 'table:table-row') flow.closeRow();
  else if (name === 'table:table') flow.closeTable();
}
