/**
 * Reads the text of a PDF as an article, with headings, lists, tables and links, and a link to each page. It refuses files that are
 * encrypted, damaged or beyond its bounds. It reads no text from pictures, so scans are 'empty'.
 */
import { createFetchFailure, Failure } from '../../../contract/errors.ts';
import { stripFragment } from '../../../text/urls/url-spelling.ts';
import type { Article } from '../../article.ts';
import { convertToMarkdown } from '../convert-html.ts';
import { buildPlainArticle } from '../plain-article.ts';
import { renderBlocks } from './block-html.ts';
import { buildBlocks } from './blocks.ts';
import { createMemoryFailure, isEngineEnd, openPdf, type PdfEngine } from './engine.ts';
import { measureTypography, readOutline } from './headings.ts';
import { buildLines, dropRunningLines, type Line } from './page-lines.ts';
import { readPageRuns } from './page-runs.ts';
import { sortByReadingOrder } from './reading-order.ts';
import { placeTables } from './tables/find-tables.ts';
import { type Rulings, readRulings } from './tables/rulings.ts';

/** Maximum number of pages; longer documents are refused. */
export const PDF_PAGES_MAX = 2_000;
/** Matches titles that a program wrote, not a person. */
const NO_TITLE =
  /^(?:\(?(?:untitled|anonymous|unspecified|unknown|none|null)\)?(?:[\s-]*\d+)?|document\s*\d*|(?:slide|folie) \d+|powerpoint[- ]\S+|microsoft \S+ - .*|.*\.(?:docx?|odt|rtf|wpd|pptx?|xlsx?|tex|dvi|e?ps|fm|indd|pdf|html?|qx[dp]))?$/i;

/**
 * Reads a PDF as Markdown, with a link to each page. Throws `fetch_failed` 'undecodable' for files that are encrypted, damaged or beyond
 * the bounds, and 'empty' for scans.
 */
export async function readPdf(bytes: Uint8Array, url: string): Promise<Article> {
  try {
    const engine = await openPdf(bytes);
    return buildPdfArticle(engine, url);
  } catch (error) {
    if (error instanceof Failure) throw error;
    if (isEngineEnd(error)) throw createMemoryFailure();
    throw error;
  }
}

function buildPdfArticle(engine: PdfEngine, url: string): Article {
  const pages = readPages(engine);
  const texts = dropRunningLines(pages.map(({ lines }) => lines));
  const isTypescript = isMostlyMono(texts.flat());
  const lines = texts.flatMap((page, at) =>
    sortByReadingOrder(
      placeTables(page, { rulings: pages[at]?.rulings ?? { across: [], down: [] }, isTypescript }),
    ),
  );
  const blocks = buildBlocks(lines, measureTypography(lines, readOutline(engine)));
  const { markdown, headings, links } = convertToMarkdown(renderBlocks(blocks, stripFragment(url)), url);
  const title = readMetadata(engine, 'Title');
  return buildPlainArticle(url, {
    kind: 'document',
    title: NO_TITLE.test(title) ? (headings[0] ?? '') : title,
    markdown,
    headings,
    links,
    rawChars: texts.flat().reduce((sum, { text }) => sum + text.length, 0),
    author: readMetadata(engine, 'Author') || null,
    description: readMetadata(engine, 'Subject') || null,
    language: readLanguage(engine),
    published: parseCreationDate(readMetadata(engine, 'CreationDate')),
  });
}

/** Minimum share of monospaced text in a typescript; in other documents, such text is a listing. */
const TYPESCRIPT_MIN = 0.8;

function isMostlyMono(lines: Line[]): boolean {
  let [mono, all] = [0, 0];
  for (const line of lines) {
    all += line.text.length;
    if (line.mono) mono += line.text.length;
  }
  return mono > TYPESCRIPT_MIN * all;
}

type PageText = { lines: Line[]; rulings: Rulings };

function readPages(engine: PdfEngine): PageText[] {
  const { call, document } = engine;
  const count = call.FPDF_GetPageCount(document);
  if (count > PDF_PAGES_MAX)
    throw createFetchFailure('undecodable', `the PDF has ${count} pages; at most ${PDF_PAGES_MAX} are read`);
  const pages: PageText[] = [];
  let pictures = 0;
  for (let at = 0; at < count; at += 1) {
    const page = call.FPDF_LoadPage(document, at);
    if (page === 0) continue;
    const { runs, turn } = readPageRuns(engine, page);
    const lines = buildLines(runs, at + 1);
    if (lines.length === 0 && call.FPDFPage_CountObjects(page) > 0) pictures += 1;
    pages.push({ lines, rulings: readRulings(engine, page, turn) });
    call.FPDF_ClosePage(page);
  }
  if (pictures > 0 && pages.every(({ lines }) => lines.length === 0))
    throw createFetchFailure('empty', 'the PDF has no text: its pages are pictures, such as scans');
  return pages;
}

function readMetadata({ call, document, text, place }: PdfEngine, name: string): string {
  const tag = place(name);
  return text('utf-16le', (buffer, bytes) => call.FPDF_GetMetaText(document, tag, buffer, bytes)).trim();
}

function readLanguage({ call, document, text }: PdfEngine): string | null {
  const tag = text('utf-16le', (buffer, bytes) => call.FPDFCatalog_GetLanguage(document, buffer, bytes));
  return /^[a-z]{2,3}(?![a-z])/i.exec(tag.trim())?.[0].toLowerCase() ?? null;
}

/** Parses a date such as `D:20240131120000+01'00'`. */
function parseCreationDate(date: string): Article['published'] {
  const [, year, month, day] = /^(?:D:)?((?:19|20)\d{2})(\d{2})(\d{2})/.exec(date) ?? [];
  const iso = `${year}-${month}-${day}`;
  return year === undefined || Number.isNaN(Date.parse(iso)) ? null : { day: iso, from: 'meta' };
}
