/** What a library's pages give without ranking of ours: FTS5 over their sections, and grep with lines around each hit. */
import { DatabaseSync } from 'node:sqlite';
import type { IndexedPage } from '../../src/index/local-index-types.ts';
import { parseMarkdownBlocks } from '../../src/text/markup/markdown-blocks.ts';

type PageText = Pick<IndexedPage, 'title' | 'markdown'>;

export type PlainSections = { find(question: string, charsMax: number): string[]; close(): void };

/** Longer sections are cut where blocks begin. */
const SECTION_CHARS_MAX = 2_400;
const FOUND_MAX = 40;

/** The sections of pages in an FTS5 table (unicode61, porter), asked for any of the words, ordered by its bm25(). */
export function openPlainSections(pages: readonly PageText[]): PlainSections {
  const database = new DatabaseSync(':memory:');
  database.exec("create virtual table section using fts5 (title, body, tokenize = 'porter unicode61')");
  const insert = database.prepare('insert into section (title, body) values (?, ?)');
  database.exec('begin');
  for (const { title, markdown } of pages) for (const body of cutSections(markdown)) insert.run(title, body);
  database.exec('commit');
  const ask = database.prepare(
    'select body from section where section match ? order by bm25(section) limit ?',
  );
  return {
    find(question, charsMax) {
      const words = (question.match(/[\p{L}\p{N}_]+/gu) ?? []).map((word) => `"${word}"`).join(' OR ');
      if (words === '') return [];
      return fill(
        ask.all(words, FOUND_MAX).map(({ body }) => String(body)),
        charsMax,
      );
    },
    close: () => database.close(),
  };
}

function cutSections(markdown: string): string[] {
  const sections: string[] = [];
  let start = 0;
  for (const block of parseMarkdownBlocks(markdown)) {
    const isFull = block.end - start > SECTION_CHARS_MAX;
    if (block.start === start || (block.kind !== 'heading' && !isFull)) continue;
    sections.push(markdown.slice(start, block.start));
    start = block.start;
  }
  return [...sections, markdown.slice(start)].filter((text) => text.trim() !== '');
}

const LINES_AROUND = 8;

/** Lines that have the word in any case, each with the lines around it, in the order of the pages, as `grep -i -C 8` gives them. */
export function grepLines(pages: readonly PageText[], word: string, charsMax: number): string[] {
  const found: string[] = [];
  for (const { markdown } of pages) {
    const lines = markdown.split('\n');
    let shownTo = 0;
    for (const [at, line] of lines.entries()) {
      if (at < shownTo || !line.toLowerCase().includes(word.toLowerCase())) continue;
      shownTo = at + LINES_AROUND + 1;
      found.push(lines.slice(Math.max(0, at - LINES_AROUND), shownTo).join('\n'));
    }
  }
  return fill(found, charsMax);
}

/** The first texts that fit; the one that does not is cut. */
function fill(texts: readonly string[], charsMax: number): string[] {
  let room = charsMax;
  return texts.flatMap((text) => {
    const shown = text.slice(0, room);
    room -= shown.length;
    return shown === '' ? [] : [shown];
  });
}
