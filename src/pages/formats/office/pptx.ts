import type { Article } from '../../article.ts';
import { convertToMarkdown } from '../convert-html.ts';
import { buildPlainArticle } from '../plain-article.ts';
import { readChart } from './chart.ts';
import { createTextFlow, type TextFlow } from './text-flow.ts';
import { type Relation, readProperties, readRelations, readXml } from './xml.ts';
import type { Zip } from './zip.ts';

const SLIDES_MAX = 2_000;
/** Maximum charts of one slide. */
const CHARTS_MAX = 20;
/** Placeholders whose text is the same on every slide. */
const RUNNING = new Set(['dt', 'ftr', 'sldNum', 'hdr']);

/** Matches descriptions of pictures that say nothing. */
const NO_DESCRIPTION =
  /^\S+\.(?:png|jpe?g|gif|svg|emf|wmf|bmp|tiff?)$|^(?:picture|image|bild|grafik)\s*\d*$/i;

/** Reads a presentation (ECMA-376, PresentationML) as Markdown: a heading for each slide, its text, tables, charts and notes. */
export function readPptx(zip: Zip, url: string): Article {
  const blocks = listSlides(zip).flatMap((name, at) => readSlide(zip, name, at + 1));
  const written = convertToMarkdown(blocks, url);
  const rawChars = blocks.reduce((sum, block) => sum + block.length, 0);
  return buildPlainArticle(url, { kind: 'document', ...readProperties(zip), ...written, rawChars });
}

/** Lists the slides in the order in which they are shown. */
function listSlides(zip: Zip): string[] {
  const relations = readRelations(zip.text('ppt/_rels/presentation.xml.rels'), 'ppt');
  const names: string[] = [];
  readXml(zip.text('ppt/presentation.xml'), {
    open(name, attributes) {
      const target = name === 'p:sldId' ? relations.get(attributes['r:id'] ?? '')?.target : undefined;
      if (target !== undefined && names.length < SLIDES_MAX) names.push(target);
    },
  });
  return names;
}

function readSlide(zip: Zip, name: string, number: number): string[] {
  const [folder, file] = [name.slice(0, name.lastIndexOf('/')), name.slice(name.lastIndexOf('/') + 1)];
  const relations = readRelations(zip.text(`${folder}/_rels/${file}.rels`), folder);
  const { title, flow, charts } = readShapes(zip.text(name), relations);
  const drawn = charts.map((chart) => readChart(zip.text(chart))).filter((html) => html !== '');
  const blocks = [`<h2>${title === '' ? `Slide ${number}` : title}</h2>`, ...flow.blocks(), ...drawn];
  const notes = [...relations.values()].find(({ type }) => type === 'notesSlide');
  const spoken = notes === undefined ? [] : readShapes(zip.text(notes.target), new Map()).flow.blocks();
  if (spoken.length > 0) blocks.push(`<blockquote><p>Notes:</p>${spoken.join('')}</blockquote>`);
  return blocks;
}

type Paragraph = { level: number; isBulleted: boolean; link: string | null; bold: boolean; italic: boolean };
/** Shapes, each of which is a placeholder only if it says so itself. */
const SHAPES = new Set(['p:sp', 'p:graphicFrame', 'p:pic', 'p:cxnSp']);

const createParagraph = (): Paragraph => ({
  level: 0,
  isBulleted: false,
  link: null,
  bold: false,
  italic: false,
});

/** Reads the texts of the shapes of a slide, with the title separate, and the files of its charts. */
function readShapes(
  xml: string,
  relations: Map<string, Relation>,
): { title: string; flow: TextFlow; charts: string[] } {
  const charts: string[] = [];
  const body = createTextFlow();
  const heading = createTextFlow();
  let place = '';
  let silent = 0;
  let described = '';
  let paragraph = createParagraph();
  /** Adds the description of a picture, unless it is the name of its file or was made up by a program. */
  const describePicture = (): void => {
    if (described !== '' && !NO_DESCRIPTION.test(described)) {
      body.text(described, createParagraph());
      body.paragraph({ kind: 'text' });
    }
    described = '';
  };
  const selectFlow = (): TextFlow => (/title/i.test(place) ? heading : body);
  readXml(xml, {
    open(name, attributes) {
      if (name === 'mc:Fallback') silent += 1;
      if (silent > 0) return;
      if (SHAPES.has(name)) place = '';
      else if (name === 'p:ph') place = attributes.type ?? 'body';
      else if (name === 'a:p') paragraph = { ...createParagraph(), isBulleted: place === 'body' };
      else if (name === 'p:cNvPr') described = (attributes.descr ?? '').trim();
      else if (name === 'p:nvPicPr') described = '';
      else if (name === 'a:pPr') paragraph.level = Number(attributes.lvl) || 0;
      else if (name === 'a:buNone') paragraph.isBulleted = false;
      else if (name === 'a:buChar' || name === 'a:buAutoNum') paragraph.isBulleted = true;
      else if (name === 'a:rPr')
        [paragraph.bold, paragraph.italic] = [attributes.b === '1', attributes.i === '1'];
      else if (name === 'a:hlinkClick')
        paragraph.link = relations.get(attributes['r:id'] ?? '')?.target ?? null;
      else if (name === 'a:br') selectFlow().inline('<br>');
      else if (name === 'c:chart') {
        const chart = relations.get(attributes['r:id'] ?? '')?.target;
        if (chart !== undefined && charts.length < CHARTS_MAX) charts.push(chart);
      } else if (name === 'a:tbl') body.openTable();
      else if (name === 'a:tr') body.openRow();
      else if (name === 'a:tc')
        body.openCell({ columns: Number(attributes.gridSpan) || 1, rows: Number(attributes.rowSpan) || 1 });
    },
    text(text, name) {
      if (silent === 0 && (name === 'a:t' || name === 'm:t') && !RUNNING.has(place))
        selectFlow().text(text, paragraph);
    },
    close(name) {
      if (silent === 0 && name === 'a:p') {
        const { isBulleted, level } = paragraph;
        selectFlow().paragraph(isBulleted ? { kind: 'item', level, ordered: false } : { kind: 'text' });
      } else if (name === 'a:r') paragraph.link = null;
      else if (name === 'a:tc') body.closeCell();
      else if (name === 'a:tr') body.closeRow();
      else if (name === 'a:tbl') body.closeTable();
      else if (name === 'p:pic' && silent === 0) describePicture();
      else if (name === 'mc:Fallback') silent -= 1;
    },
  });
  const title = heading
    .blocks()
    .join(' ')
    .replace(/<[^<>]*>/g, '')
    .trim();
  return { title, flow: body, charts };
}
