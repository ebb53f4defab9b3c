/**
 * The cost of a page from its Markdown to highlights and pruned context: npm run bench:retrieve [--share]. Real text (English
 * encyclopedia paragraphs with headings) cut to 20,000 and 200,000 characters, one core, milliseconds of wall time. Baselines in the
 * same run: plain BM25 with the same stemmer over paragraphs, best ones joined, and over the same chunks with what it takes to cut them. `--share` times the steps separately.
 */
import { performance } from 'node:perf_hooks';
import { plainBm25 } from '../eval/passages/baselines.ts';
import { readPassageSets } from '../eval/passages/passage-sets.ts';
import { plainPruner } from '../eval/prune/plain-pruners.ts';
import { chunkMarkdown } from '../src/text/chunk/chunk-markdown.ts';
import { preparePage } from '../src/text/prune/chunked-page.ts';
import { highlightsOf } from '../src/text/prune/highlights.ts';
import { pageParts, partsOfPrepared } from '../src/text/prune/page-parts.ts';
import { pruneMarkdown } from '../src/text/prune/prune-markdown.ts';
import { scoreChunks } from '../src/text/prune/score-chunks.ts';
import { readQuery } from '../src/text/query/read-query.ts';

const SIZES = [
  { chars: 20_000, rounds: 200, goalMs: 5 },
  { chars: 200_000, rounds: 40, goalMs: 40 },
];
const WARM_ROUNDS = 20;
const BASELINE_CHARS = 3_000;
const WANTED = {
  text: null,
  highlights: { query: null, perUrl: 3, charsMax: null },
  pruned: { query: null },
};

type Ms = { wall: number; cpu: number };
type Row = (what: string, times: Ms[], goal?: string) => void;

const [set] = readPassageSets(process.env.EVAL_DATA ?? '../shared/data');
const source = (set?.pages ?? []).map(({ markdown }, at) => `# Page ${at}\n\n${markdown}`).join('\n\n');
const questions = (set?.questions ?? []).map(({ text }) => text);

console.log('characters  chunks  what                                   p50 ms   p95 ms  CPU p50   goal p50');
for (const { chars, rounds, goalMs } of SIZES) {
  // Every round uses another page and another question, so no cache helps.
  const pages = Array.from({ length: rounds + WARM_ROUNDS }, (_, round) => pageAt(round, chars));
  const chunks = chunkMarkdown(pages[0] ?? '').length;
  const row: Row = (what, times, goal = '') => {
    const at = (of: keyof Ms, share: number): string => {
      const sorted = times
        .slice(WARM_ROUNDS)
        .map((ms) => ms[of])
        .sort((left, right) => left - right);
      return (sorted[Math.floor(share * (sorted.length - 1))] ?? 0).toFixed(2).padStart(8);
    };
    console.log(
      `${String(chars).padStart(10)}  ${String(chunks).padStart(6)}  ${what.padEnd(36)} ${at('wall', 0.5)} ${at('wall', 0.95)} ${at('cpu', 0.5)}   ${goal}`,
    );
  };
  const asked = (round: number): string => questions[(round * 37) % questions.length] ?? '';
  row(
    'chunks + highlights + pruned context',
    pages.map((markdown, round) => msOf(() => pageParts({ markdown, language: 'en' }, WANTED, asked(round)))),
    `${goalMs} ms`,
  );
  row(
    'baseline: paragraphs, plain BM25',
    pages.map((markdown, round) => msOf(() => plainPruner('bm25')(markdown, asked(round), BASELINE_CHARS))),
  );
  row(
    'baseline: the same chunks, plain BM25',
    pages.map((markdown, round) => msOf(() => plainBm25(chunkMarkdown(markdown), 'en')(asked(round)))),
  );
  row(
    'chunks + scores',
    pages.map((markdown, round) =>
      msOf(() => scoreChunks(chunkMarkdown(markdown), readQuery(asked(round)), 'en')),
    ),
  );
  const prepared = pages.map((markdown) => preparePage({ markdown, language: 'en' }));
  row(
    'another question about a kept page',
    prepared.map((page, round) => msOf(() => partsOfPrepared(page, WANTED, asked(round)))),
  );
  if (process.argv.includes('--share')) shares(pages, asked, row);
}

function shares(pages: string[], asked: (round: number) => string, row: Row): void {
  const times: Record<'chunks' | 'scores' | 'highlights' | 'pruned context', Ms[]> = {
    chunks: [],
    scores: [],
    highlights: [],
    'pruned context': [],
  };
  for (const [round, markdown] of pages.entries()) {
    let chunks = chunkMarkdown('');
    times.chunks.push(msOf(() => (chunks = chunkMarkdown(markdown))));
    let scored = scoreChunks([], readQuery(''), 'en');
    times.scores.push(msOf(() => (scored = scoreChunks(chunks, readQuery(asked(round)), 'en'))));
    times.highlights.push(msOf(() => highlightsOf(scored, { perUrl: 3, charsMax: null })));
    times['pruned context'].push(msOf(() => pruneMarkdown(markdown, scored)));
  }
  for (const [what, list] of Object.entries(times)) row(`  of it ${what}`, list);
}

/** A stretch of the real text, another one each round. */
function pageAt(round: number, chars: number): string {
  const start = (round * 7_919) % Math.max(1, source.length - chars);
  return Buffer.from(source.slice(start, start + chars)).toString('utf8');
}

/** Wall time, and processor time including garbage collector and compiler. */
function msOf(work: () => unknown): Ms {
  const used = process.cpuUsage();
  const begun = performance.now();
  work();
  const wall = performance.now() - begun;
  const { user, system } = process.cpuUsage(used);
  return { wall, cpu: (user + system) / 1_000 };
}
