/**
 * Measures what pruning keeps and drops: npm run eval:prune. For each question with an answer in its page: whether the pruned text
 * still contains it, how much of the page is dropped, and how much of an unrelated page. Baseline: BM25 over
 * paragraphs, with as much text. `--cases 2000` per set (500), `--docs <folder like /usr/share/doc>` adds
 * questions over the manuals that lie in it; of those called held out no rule or weight was fitted. Some cases of each set are also read over
 * HTTP, as callers read them (`--served 200`); the run fails if what is served holds the answer for a point more or less than inside.
 */
import { pruneMarkdown } from '../src/text/prune/prune-markdown.ts';
import { computeAmount } from '../src/text/prune/select-chunks.ts';
import { manualSets } from './passages/manual-sets.ts';
import { readPassageSets } from './passages/passage-sets.ts';
import { plainPruner } from './prune/plain-pruner.ts';
import { holdsInPlace, type PruneCase, pruneCases } from './prune/prune-cases.ts';
import { type ServedPages, servePages } from './prune/served-pages.ts';
import { compareShares } from './ranking/served-index.ts';

const CASES = 500;
const SERVED_CASES = 100;
const data = process.env.EVAL_DATA ?? '../shared/data';
const servedMax = Number(optionValue('--served') ?? SERVED_CASES);
const casesMax = Number(optionValue('--cases') ?? CASES);
const docs = optionValue('--docs');
const sets = [...readPassageSets(data), ...(docs === undefined ? [] : manualSets([docs]))];

async function measure(): Promise<void> {
  const served = await servePages();
  console.log(
    `${''.padEnd(18)}  cases   chars |  pruned: holds  served  in place  drops  foreign drops  opening | BM25 paragraphs`,
  );
  for (const set of sets) {
    const cases = pruneCases(set, casesMax);
    const bm25 = plainPruner();
    const rows = cases.map((one) => {
      const { page, foreign, question, own, other } = one;
      const pruned = pruneMarkdown(page.markdown, own, computeAmount(1, page.markdown.length));
      const away = pruneMarkdown(foreign.markdown, other, computeAmount(1, foreign.markdown.length));
      const amount = pruned.markdown.length;
      return {
        chars: page.markdown.length,
        holds: holds(pruned.markdown, one),
        inPlace: holdsInPlace(pruned.markdown, page.markdown, question.answers),
        drops: 1 - amount / page.markdown.length,
        foreign: Math.max(0, 1 - away.markdown.length / foreign.markdown.length),
        opening: pruned.prunedBy === 'opening',
        bm25: holds(bm25(page.markdown, question.text, amount), one),
      };
    });
    const share = (of: (row: (typeof rows)[number]) => number | boolean): string =>
      ((100 * rows.reduce((sum, row) => sum + Number(of(row)), 0)) / rows.length).toFixed(1);
    const heldOverHttp = await countServed(served, cases);
    const step = Math.max(1, cases.length / servedMax);
    const heldInside = cases.filter((_, place) => isTaken(place, step) && rows[place]?.holds).length;
    compareShares(set.name, { served: heldOverHttp.share, inside: heldInside / heldOverHttp.cases });
    const chars = Math.round(rows.reduce((sum, row) => sum + row.chars, 0) / rows.length);
    console.log(
      [
        set.name.padEnd(18),
        String(rows.length).padStart(6),
        `${String(chars).padStart(7)} |`,
        share((row) => row.holds).padStart(13),
        (100 * heldOverHttp.share).toFixed(1).padStart(7),
        share((row) => row.inPlace).padStart(9),
        share((row) => row.drops).padStart(6),
        share((row) => row.foreign).padStart(14),
        `${share((row) => row.opening).padStart(8)} |`,
        share((row) => row.bm25).padStart(15),
      ].join(' '),
    );
  }
  await served.close();
}

/** Whether a case is one of those, spread evenly, that are read over HTTP. */
const isTaken = (place: number, step: number): boolean => Math.floor(place % step) === 0;

/** Reads some cases over HTTP; returns their number, and the share whose pruned page holds the answer. */
async function countServed(
  served: ServedPages,
  cases: readonly PruneCase[],
): Promise<{ cases: number; share: number }> {
  const step = Math.max(1, cases.length / servedMax);
  const taken = cases.filter((_, place) => isTaken(place, step));
  let held = 0;
  for (const one of taken)
    if (holds(await served.prune(one.page.markdown, one.question.text), one)) held += 1;
  return { cases: taken.length, share: held / taken.length };
}

function holds(text: string, { page, question }: PruneCase): boolean {
  return question.answers.some(({ start, end }) => text.includes(page.markdown.slice(start, end)));
}

function optionValue(option: string): string | undefined {
  const at = process.argv.indexOf(option);
  return at === -1 ? undefined : process.argv[at + 1];
}

await measure();
