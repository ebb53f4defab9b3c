/**
 * Cuts a page into sections that can be shown whole, and counts what each has of a question. What a page alone cannot know, how rare the
 * words are, is weighed over all pages by `rank-sections.ts`.
 */
import { type Chunk, chunkMarkdown, type Place, type ScoredChunk } from '../chunk/chunk-markdown.ts';
import { type MarkdownBlock, parseMarkdownBlocks } from '../markup/markdown-blocks.ts';
import { readQuery } from '../query/read-query.ts';
import { isStopWord } from '../words/stop-words.ts';
import { parseTerms, type Term, tokenizeWords } from '../words/words.ts';
import { type PageText, preparePage, scorePrepared } from './chunked-page.ts';

/** A term of a question, once. */
export type AskedTerm = Pick<Term, 'text' | 'kind'>;

/** How often each term of the question is in a section. */
export type PageSection = Place & {
  /** Null: `markdown.slice(start, end)` of the page; otherwise a part of a longer block, with its fence or the head of its table. */
  part: string | null;
  words: number;
  body: number[];
  /** In the headings above it. */
  headed: number[];
  /** In the last of these, which names what the section is about. */
  named: number[];
  /** How well its best passage answers the question, from 0 to 1, by the model for passages. */
  answers: number;
};

export type PageSections = {
  /** Those that have a term of the question or may answer it. */
  sections: PageSection[];
  /** Of all sections of the page. */
  count: number;
  words: number;
  /** The sections that have each term. */
  holding: number[];
};

const TERMS_MAX = 48;
/** Longer sections end where a block does; a block of its own may be longer. */
const SECTION_CHARS_MAX = 1_800;
/** A section that is shorter goes on with those of so deep a level below it: the example of a function belongs to it. */
const JOINED = { charsMax: 700, levelMin: 4 };

/** Of the parts of a block that is too long. */
const PART = { charsMin: 400, charsMax: 1_400 };

/** The terms of a question that tell something, in order: for every section the counts have this order. */
export function listAskedTerms(question: string): AskedTerm[] {
  const terms = new Map<string, AskedTerm>();
  for (const { text, kind } of parseTerms(question, null))
    if (!isStopWord(text) && !terms.has(text)) terms.set(text, { text, kind });
  return [...terms.values()].slice(0, TERMS_MAX);
}

/** Reads the sections of a page, each at most `charsMax` long; only a block that is longer is cut, as chunks are. */
export function readSections(page: PageText, question: string, charsMax: number): PageSections {
  const prepared = preparePage(page);
  const cut = cutPage(page.markdown, prepared.chunks, charsMax);
  const scored = scorePrepared(prepared, readQuery(question));
  const places = new Map(listAskedTerms(question).map(({ text }, place) => [text, place]));
  const holding = Array.from(places, () => 0);
  let words = 0;
  const sections = cut.flatMap((section): PageSection[] => {
    words += section.terms.length;
    const body = countTerms(section.terms, places);
    const headed = countTerms(section.headTerms, places);
    for (const place of places.values())
      if ((body[place] ?? 0) + (headed[place] ?? 0) > 0) holding[place] = (holding[place] ?? 0) + 1;
    const answers = findBestScore(scored, section);
    if (answers === 0 && !body.some(Boolean) && !headed.some(Boolean)) return [];
    const { start, end, headingPath, part } = section;
    const named = countTerms(section.nameTerms, places);
    return [{ start, end, headingPath, part, words: section.terms.length, body, headed, named, answers }];
  });
  return { sections, count: cut.length, words, holding };
}

function countTerms(terms: readonly string[], places: ReadonlyMap<string, number>): number[] {
  const counts = Array.from(places, () => 0);
  for (const term of terms) {
    const place = places.get(term);
    if (place !== undefined) counts[place] = (counts[place] ?? 0) + 1;
  }
  return counts;
}

const findBestScore = (scored: readonly ScoredChunk[], { start, end }: Place): number =>
  scored.reduce(
    (best, chunk) => (chunk.start < end && chunk.end > start ? Math.max(best, chunk.score) : best),
    0,
  );

type CutSection = Pick<PageSection, 'start' | 'end' | 'headingPath' | 'part'> & {
  terms: string[];
  headTerms: string[];
  nameTerms: string[];
};

const known = new WeakMap<readonly Chunk[], { charsMax: number; sections: CutSection[] }>();

/** Cuts a page, and reads the terms of its sections, once for all questions. */
function cutPage(markdown: string, chunks: readonly Chunk[], charsMax: number): CutSection[] {
  const before = known.get(chunks);
  if (before?.charsMax === charsMax) return before.sections;
  const sections = groupBlocks(parseMarkdownBlocks(markdown), charsMax).flatMap((blocks) =>
    writeSections(blocks, { markdown, charsMax }),
  );
  known.set(chunks, { charsMax, sections });
  return sections;
}

/** Groups blocks into sections: each begins at a heading, or where the one before is full. Headings alone are none. */
function groupBlocks(blocks: readonly MarkdownBlock[], charsMax: number): MarkdownBlock[][] {
  const groups: MarkdownBlock[][] = [];
  let group: MarkdownBlock[] = [];
  const begin = (first: MarkdownBlock[]): void => {
    if (hasBody(group)) groups.push(group);
    group = first;
  };
  for (const block of blocks) {
    const chars = block.end - (group[0]?.start ?? block.start);
    const last = group.at(-1);
    if (block.kind === 'heading' && hasBody(group) && !isJoined(group, block)) begin([block]);
    else if (chars > Math.min(SECTION_CHARS_MAX, charsMax) && hasBody(group)) {
      // The prose that introduces code stays with it.
      const introduces = block.kind === 'code' && last?.kind === 'text' && hasBody(group.slice(0, -1));
      const kept = introduces && last !== undefined ? [last] : [];
      if (kept.length > 0) group.pop();
      begin([...kept, block]);
    } else group.push(block);
  }
  begin([]);
  return groups;
}

const hasBody = (group: readonly MarkdownBlock[]): boolean => group.some(({ kind }) => kind !== 'heading');

function isJoined(group: readonly MarkdownBlock[], heading: MarkdownBlock): boolean {
  const [first] = group;
  if (first?.kind !== 'heading' || heading.start - first.start > JOINED.charsMax) return false;
  const level = heading.headings.at(-1)?.level ?? 0;
  return level >= JOINED.levelMin && level > (first.headings.at(-1)?.level ?? 0);
}

function writeSections(
  group: readonly MarkdownBlock[],
  { markdown, charsMax }: { markdown: string; charsMax: number },
): CutSection[] {
  const [start, end] = [group[0]?.start ?? 0, group.at(-1)?.end ?? 0];
  const headings = group.find(({ kind }) => kind !== 'heading')?.headings ?? [];
  const headingPath = headings.map(({ text }) => text);
  const head = {
    headingPath,
    headTerms: tokenizeWords(headingPath.join('\n'), null),
    nameTerms: tokenizeWords(headingPath.at(-1) ?? '', null),
  };
  const write = (place: { start: number; end: number }, part: string | null): CutSection => ({
    start: place.start,
    end: place.end,
    part,
    headingPath: head.headingPath,
    headTerms: head.headTerms,
    nameTerms: head.nameTerms,
    terms: tokenizeWords(part ?? markdown.slice(place.start, place.end), null),
  });
  if (end - start <= charsMax) return [write({ start, end }, null)];
  const charsOfPart = { charsMin: PART.charsMin, charsMax: Math.min(PART.charsMax, charsMax) };
  return chunkMarkdown(markdown.slice(start, end), charsOfPart).map((chunk) =>
    write({ start: start + chunk.start, end: start + chunk.end }, chunk.markdown),
  );
}
