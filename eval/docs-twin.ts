/**
 * Documentation beside the Markdown that it was built from, 82 pages of two generators: the share of code blocks that arrive whole, of
 * headings and of rows of tables, and the precision and recall of words. What only the generator reads (directives, attributes,
 * lines that it hides, files that it includes) is not asked for; pages that it makes of source code count for nothing but their headings.
 *
 *   npm run eval:docs-twin [-- --worst 20]
 *
 * The folder of the set comes from EVAL_DATA.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { decodeHTML } from 'entities/decode';
import { plainText } from '../bench/extract/plain-text.ts';
import { wordF1, wordsOf } from '../bench/extract/word-f1.ts';
import { readJsonLines } from '../bench/search/read-json-lines.ts';
import { extractHtml } from '../src/pages/extract/extract-html.ts';
import { listTables } from '../src/text/tables/markdown-tables.ts';

type TwinPage = { id: string; site: string; url: string; html: string; source: string };
type CodeBlock = { lines: string[]; language: string; info: string };
/** A Markdown text with its code apart. `includes`: it has parts that are in other files. */
type Read = { code: CodeBlock[]; text: string; includes: boolean };
type Lost = { id: string; kind: string; what: string };

const FENCE = /^([\s>]*(?:(?:[-*+]|\d+[.)])\s+)?)(`{3,}|~{3,})\s*([^`]*)$/;
/** Directives of the two generators. */
const DIRECTIVE = /^\s*(?:!!!|\?\?\?\+?|===!?|\/\/\/|:::)\s*(?:[\w-]+\b)?\s*/;
const INCLUDE = /\{\{.*\}\}|--8<--|^\s*:::/m;
/** Blocks whose output the generator splits off, and tabs into which it multiplies a block for several versions of Python. */
const SPLIT = /\boutput=/;
const MULTIPLIED = /Python 3\.\d+ and above/;
const ATTRIBUTES =
  /\{\s*[.#:][^{}\n]*\}|\[TOC\]|:(?:material|simple|octicons|fontawesome)-[\w-]+:|^---\n(?:.*\n)*?---\n|<style>[\s\S]*?<\/style>/g;
const DEFINITION = /^\s*\[[^\]]+\]:\s*\S.*$/gm;
const REFERENCE = /\[((?:[^[\]]|\[[^\]]*\])+)\]\[[^\]]*\]/g;

const { values } = parseArgs({ options: { worst: { type: 'string', default: '0' } } });
const pages = readJsonLines<TwinPage>(
  join(process.env.EVAL_DATA ?? '../shared/data', 'docs_twin_dev/pages.jsonl.gz'),
);
const lost: Lost[] = [];
const counts = new Map<string, { kept: number; all: number }>();
const words = { pages: 0, precision: 0, recall: 0 };
for (const page of pages) measure(page);

console.log(`${pages.length} pages`);
for (const [kind, { kept, all }] of counts)
  console.log(`${kind.padEnd(24)} ${((100 * kept) / all).toFixed(1).padStart(5)} % of ${all}`);
console.log(
  `words of ${words.pages} pages: precision ${((100 * words.precision) / words.pages).toFixed(1)} %, recall ${((100 * words.recall) / words.pages).toFixed(1)} %`,
);
for (const { id, kind, what } of lost.slice(0, Number(values.worst)))
  console.log(`  ${id}: ${kind}: ${JSON.stringify(what.slice(0, 300))}`);

function measure({ id, site, url, html, source }: TwinPage): void {
  const { markdown } = extractHtml(html, url);
  // The first line of a source may be its address.
  const written = source.replace(/^https?:\S+\n/, '');
  const truth = readMarkdown(site.endsWith('mdBook') ? dropIndentedFences(written) : written);
  const found = readMarkdown(markdown);
  const bodies = new Set(found.code.map(joinCode));
  for (const block of truth.code) {
    if (SPLIT.test(block.info) || block.lines.some((line) => INCLUDE.test(line))) continue;
    const isWhole = bodies.has(joinCode(block)) || bodies.has(joinCode(withoutHiddenLines(block)));
    count(id, 'code blocks whole', isWhole, block.lines.join('\n'));
  }
  const headings = countEach(listHeadings(found.text));
  for (const heading of listHeadings(truth.text)) count(id, 'headings', take(headings, heading), heading);
  const rows = countEach(listRows(found.text));
  for (const row of listRows(truth.text)) if (row !== '') count(id, 'rows of tables', take(rows, row), row);
  if (truth.includes || MULTIPLIED.test(html) || truth.code.some(({ info }) => SPLIT.test(info))) return;
  const { precision, recall } = wordF1(toWords(found), toWords(truth));
  if (Math.min(precision, recall) < 0.97)
    lost.push({ id, kind: 'words', what: `precision ${precision.toFixed(3)}, recall ${recall.toFixed(3)}` });
  words.pages += 1;
  words.precision += precision;
  words.recall += recall;
}

function count(id: string, kind: string, isKept: boolean, what: string): void {
  const known = counts.get(kind) ?? { kept: 0, all: 0 };
  counts.set(kind, { kept: known.kept + Number(isKept), all: known.all + 1 });
  if (!isKept) lost.push({ id, kind, what });
}

/** Separates the fenced code of a Markdown text from the rest. */
function readMarkdown(markdown: string): Read {
  const code: CodeBlock[] = [];
  const text: string[] = [];
  let open: { mark: string; block: CodeBlock } | null = null;
  for (const line of markdown.split('\n')) {
    const [, , mark = '', info = ''] = FENCE.exec(line) ?? [];
    if (open === null && mark !== '') {
      open = { mark, block: { lines: [], language: info.trim().split(/[\s,{]/)[0] ?? '', info } };
      code.push(open.block);
    } else if (open !== null && mark.startsWith(open.mark) && info.trim() === '') open = null;
    else if (open !== null) open.block.lines.push(line);
    else text.push(line);
  }
  return { code, text: text.join('\n'), includes: INCLUDE.test(markdown) };
}

/** Drops the fences in indented code, which mdBook shows as they are; the other generator indents the contents of notes and tabs. */
function dropIndentedFences(markdown: string): string {
  return markdown.replace(/^ {4,}(?:`{3,}|~{3,}).*$/gm, '');
}

/** Joins the lines of a block without its indentation, and without marks of quotations before each line. */
function joinCode({ lines }: CodeBlock): string {
  const plain = lines.map((line) => line.replace(/^(?:\s*>)+ ?/, '').trimEnd());
  const indents = plain.filter((line) => line !== '').map((line) => line.length - line.trimStart().length);
  const indent = Math.min(...indents);
  return plain
    .map((line) => line.slice(indent))
    .join('\n')
    .replace(/^\n+|\n+$/g, '');
}

/** mdBook hides lines of Rust that begin with `#`. */
function withoutHiddenLines({ lines, language, info }: CodeBlock): CodeBlock {
  const isRust = language === 'rust' || language === 'rs';
  return { language, info, lines: isRust ? lines.filter((line) => !/^\s*#(?:\s|$)/.test(line)) : lines };
}

function listHeadings(text: string): string[] {
  return text.split('\n').flatMap((line) => {
    const [, heading] = /^\s*#{1,6} (.*)$/.exec(line) ?? [];
    return heading === undefined ? [] : [normalize(heading)];
  });
}

function listRows(text: string): string[] {
  return listTables(text.replace(/^[ \t>]+(?=\|)/gm, '')).flatMap(({ columns, rows }) =>
    [columns, ...rows].map((row) =>
      row
        .map(normalize)
        .filter((cell) => cell !== '')
        .join(' | '),
    ),
  );
}

function toWords({ code, text }: Read): string {
  const plain = text
    .split('\n')
    .map((line) => line.replace(DIRECTIVE, ''))
    .join('\n');
  return `${normalize(plain)} ${code.map(joinCode).join(' ')}`;
}

/** Reduces a text to its words, whatever their markup. */
function normalize(text: string): string {
  const bare = text
    .replace(/<!--[\s\S]*?-->/g, ' ')
    .replace(REFERENCE, '$1')
    .replace(ATTRIBUTES, ' ')
    .replace(DEFINITION, ' ');
  return wordsOf(decodeHTML(plainText(bare))).join(' ');
}

function countEach(values: readonly string[]): Map<string, number> {
  const counted = new Map<string, number>();
  for (const value of values) counted.set(value, (counted.get(value) ?? 0) + 1);
  return counted;
}

function take(counted: Map<string, number>, value: string): boolean {
  const left = counted.get(value) ?? 0;
  counted.set(value, left - 1);
  return left > 0;
}
