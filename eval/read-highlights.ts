/**
 * Measures what a reranking model adds to the order of highlights within a page: the answer in the first and in the first three, with and
 * without it, won and lost questions, and the CPU time of a page. The model has all the time that it needs.
 *
 *   npm run eval:highlights -- --model FOLDER [--docs <folder like /usr/share/doc>] [--every N] [NAME]
 *
 * The questions over manuals come from the Debian packages below `--docs`, the others from EVAL_DATA. The model has seen none of them; the
 * weights of our own order were fitted on all but "technical, held out".
 */
import { parseArgs } from 'node:util';
import { openModel } from '../src/recall/rerank/open-model.ts';
import { JUDGED_MAX, type Reranker } from '../src/recall/rerank/reranker.ts';
import { orderHighlights, requestCandidates } from '../src/search/order-highlights.ts';
import { type ChunkedPage, preparePage } from '../src/text/prune/chunked-page.ts';
import { buildPreparedParts } from '../src/text/prune/page-parts.ts';
import { askedSets } from './passages/manual-sets.ts';
import { type PassageSet, readPassageSets } from './passages/passage-sets.ts';

const SHOWN = 3;
const HIGHLIGHTS = { query: null, perUrl: SHOWN, charsMax: null };
const MICROSECONDS = 1_000;

const { values, positionals } = parseArgs({
  options: {
    model: { type: 'string' },
    docs: { type: 'string' },
    every: { type: 'string', default: '1' },
  },
  allowPositionals: true,
});
const [nameToFind = ''] = positionals;
const reranker = await openReranker(values.model ?? '');
const sets = [
  ...(values.docs === undefined ? [] : askedSets([values.docs])),
  ...readPassageSets(process.env.EVAL_DATA ?? '../shared/data'),
];
console.log(
  `${'answer in the first / three, %'.padEnd(34)}questions  without      with         won : lost  CPU ms`,
);
for (const set of sets) if (set.name.includes(nameToFind) && set.questions.length > 0) await report(set);

/** Opens the model in this thread, without a limit of time. */
async function openReranker(folder: string): Promise<Reranker> {
  const model = await openModel(folder);
  return {
    judge: async () => null,
    async compareTokens(query, passages) {
      const scores: number[] = [];
      for (const passage of passages.slice(0, JUDGED_MAX))
        scores.push((await model.compareTokens(query, passage)) ?? 0);
      return scores;
    },
    close: async () => {},
  };
}

async function report({ name, pages, questions }: PassageSet): Promise<void> {
  const asked = questions.filter((_, place) => place % Number(values.every) === 0);
  const [without, read] = [[] as number[], [] as number[]];
  let micros = 0;
  for (const [place, ofPage] of Map.groupBy(asked, ({ page }) => page)) {
    const page = pages[place];
    if (page === undefined) continue;
    const prepared = preparePage(page);
    for (const { text, answers } of ofPage) {
      const texts = answers.map(({ start, end }) => page.markdown.slice(start, end));
      const findRank = (highlights: readonly string[]): number => {
        const rank = highlights.findIndex((highlight) => texts.some((answer) => highlight.includes(answer)));
        return rank === -1 ? SHOWN : rank;
      };
      without.push(findRank(await highlight(prepared, text, null)));
      const begun = process.cpuUsage();
      read.push(findRank(await highlight(prepared, text, reranker)));
      const { user, system } = process.cpuUsage(begun);
      micros += user + system;
    }
  }
  const won = read.filter((rank, place) => rank === 0 && without[place] !== 0).length;
  const lost = read.filter((rank, place) => rank !== 0 && without[place] === 0).length;
  console.log(
    [
      name.padEnd(33),
      String(asked.length).padStart(9),
      ` ${share(without)}`.padEnd(13),
      share(read).padEnd(12),
      `${won} : ${lost}`.padEnd(11),
      (micros / MICROSECONDS / Math.max(1, asked.length)).toFixed(0),
    ].join(' '),
  );
}

/** Returns the highlights as a caller gets them. */
async function highlight(page: ChunkedPage, query: string, model: Reranker | null): Promise<string[]> {
  const wanted = requestCandidates({ text: null, highlights: HIGHLIGHTS, pruned: null }, model);
  const { highlightPlaces, ...parts } = buildPreparedParts(page, wanted, query);
  const highlightProofs = (highlightPlaces ?? []).map((place) => ({ ...place, link: '' }));
  const { highlights = [] } = await orderHighlights(
    { ...parts, highlightProofs },
    { highlights: HIGHLIGHTS, query, reranker: model },
  );
  return highlights;
}

function share(ranks: readonly number[]): string {
  return [1, SHOWN]
    .map((first) => ((100 * ranks.filter((rank) => rank < first).length) / ranks.length).toFixed(1))
    .join(' / ');
}
