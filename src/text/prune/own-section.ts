import { HIGHLIGHT_CHARS_MIN } from '../../contract/limits.ts';
import type { ScoredChunk } from '../chunk/chunk-markdown.ts';
import { parseMarkdownBlocks } from '../markup/markdown-blocks.ts';
import type { PassageQuery } from '../query/passage-query.ts';
import type { Query } from '../query/read-query.ts';
import { resolveStemLanguage } from '../words/stems.ts';
import { tokenizeWords } from '../words/words.ts';
import type { PageText } from './chunked-page.ts';

const HEADING = /^#{1,6} +\S/m;
/** A heading, or an entry that is not part of another. */
const UNIT = /^(?:#{1,6}|[-*+]|\d{1,9}[.)]) +\S/m;
const INDENTED = /^[ \t]/;
/** A shorter beginning of a section stays together with the text before it. */
const SECTION_CHARS_MIN = 150;
const LEVEL_MAX = 6;

/**
 * Trims chunks that begin with the end of one section or entry and go on with the next: they begin with the next one if it matches
 * the query better than that end.
 */
export function trimToOwnSections(
  { markdown, language }: PageText,
  chunks: readonly ScoredChunk[],
  query: Query,
): ScoredChunk[] {
  const asked = query.forPassages(language);
  return chunks.map((chunk) => {
    const at = findSectionStart(chunk, asked, language);
    if (at === null) return chunk;
    const shown = chunk.markdown.slice(at);
    const section = { ...chunk, markdown: shown, start: chunk.start + at };
    // At the end of the page there is no text left to extend it with.
    if (markdown.length - section.start < HIGHLIGHT_CHARS_MIN) return chunk;
    return section.markdown.startsWith('#') ? replaceHeadings(markdown, section) : section;
  });
}

/** Returns the offset of the next section in a chunk that should begin there; null to leave the chunk as it is. */
function findSectionStart(
  { markdown, added }: ScoredChunk,
  asked: PassageQuery,
  language: string | null,
): number | null {
  // Inside code a line may look like a heading.
  if (added !== undefined || markdown.startsWith('#') || markdown.includes('```')) return null;
  const at = markdown.search(INDENTED.test(markdown) ? UNIT : HEADING);
  if (at <= 0 || markdown.length - at < SECTION_CHARS_MIN) return null;
  const [end, section] = [markdown.slice(0, at), markdown.slice(at)];
  return sumMatchedRarities(section, asked, language) > sumMatchedRarities(end, asked, language) ? at : null;
}

/** Replaces the headings of the previous section in the path of a chunk with the one that it begins with. */
function replaceHeadings(page: string, chunk: ScoredChunk): ScoredChunk {
  const own = parseMarkdownBlocks(chunk.markdown).find(({ kind }) => kind !== 'heading')?.headings ?? [];
  const level = own[0]?.level ?? 1;
  const { headings = [], headingPath } = chunk;
  const above = headings.filter(({ start }) => readLevel(page.slice(start, start + LEVEL_MAX)) < level);
  const begun = own.map(({ start, end }) => ({ start: chunk.start + start, end: chunk.start + end }));
  return {
    ...chunk,
    headings: [...above, ...begun],
    headingPath: [...headingPath.slice(0, above.length), ...own.map(({ text }) => text)],
  };
}

const readLevel = (text: string): number => text.length - text.replace(/^#+/, '').length;

/** Sums the rarities of the query's terms that occur in a text. */
function sumMatchedRarities(
  text: string,
  { terms, rarities }: PassageQuery,
  language: string | null,
): number {
  const said = new Set(tokenizeWords(text, resolveStemLanguage(language)));
  return terms.reduce((sum, term, place) => sum + (said.has(term) ? (rarities[place] ?? 0) : 0), 0);
}
