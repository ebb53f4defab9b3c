/**
 * Measures what pruning keeps and drops: npm run eval:prune. For each question with an answer in its page: whether the pruned text
 * still contains it, how much of the page is dropped, and how much of an unrelated page. Baselines: BM25 and TF-IDF cosine over
 * paragraphs, with as much text. `--cases 2000` per set (500), `--fit` tries other amounts, `--docs <folder like /usr/share/doc>` adds
 * questions over the manuals that lie in it; of those called held out no rule or weight was fitted. Some cases of each set are also read over
 * HTTP, as callers read them (`--served 200`); the run fails if what is served holds the answer for a point more or less than inside.
 */
import type { ScoredChunk } from '../src/text/chunk/chunk-markdown.ts';
import { pruneMarkdown } from '../src/text/prune/prune-markdown.ts';
import { AMOUNT, type Amount, computeAmount, selectChunks } from '../src/text/prune/select-chunks.ts';
import { manualSets } from './passages/manual-sets.ts';
import { readPassageSets } from './passages/passage-sets.ts';
import { plainPruner } from './prune/plain-pruners.ts';
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
    `${''.padEnd(18)}  cases   chars |  pruned: holds  served  in place  drops  foreign drops  opening | BM25 paragraphs  TF-IDF cosine`,
  );
  for (const set of sets) {
    const cases = pruneCases(set, casesMax);
    const bm25 = plainPruner('bm25');
    const cosine = plainPruner('cosine');
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
        cosine: holds(cosine(page.markdown, question.text, amount), one),
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
        share((row) => row.cosine).padStart(14),
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

type Figures = { kept: number; drops: number; foreign: number };
type Tried = { amount: Amount; figures: Figures[] };

/** Approximate length of the opening shown for a page with nothing relevant. */
const OPENING_CHARS = 180;
/** Goals for the share of answers kept, and of text dropped from the answering page and from an unrelated one. */
const GOALS = { kept: 0.975, drops: 0.8, foreign: 0.97 };
const PRINTED = 20;

/** The amounts that come nearest to the goals on every other case of the sets with long pages; the cases between them beside. */
function fit(): void {
  const wanted = sets.filter(({ name }) => /squad2|qed/.test(name));
  const all = wanted.map((set) => pruneCases(set, casesMax));
  const cases = all.map((some) => some.filter((_, place) => place % 2 === 0));
  const tried: Tried[] = amounts().map((amount) => ({
    amount,
    figures: cases.map((some) => figuresOf(some, amount)),
  }));
  for (const { amount, figures } of tried.sort((one, other) => worth(other) - worth(one)).slice(0, PRINTED)) {
    const between = all.map((some) =>
      figuresOf(
        some.filter((_, place) => place % 2 === 1),
        amount,
      ),
    );
    console.log(JSON.stringify(amount));
    console.log(
      `  kept/drops/foreign ${figures.map(written).join('  ')}   held out ${between.map(written).join('  ')}`,
    );
  }
}

const written = ({ kept, drops, foreign }: Figures): string =>
  [kept, drops, foreign].map((share) => (100 * share).toFixed(1)).join('/');

function worth({ figures }: Tried): number {
  let sum = 0;
  for (const { kept, drops, foreign } of figures) {
    sum += 2 * Math.min(kept, GOALS.kept) + 0.05 * drops;
    sum -= 3 * Math.max(0, GOALS.drops - drops) + Math.max(0, GOALS.foreign - foreign);
  }
  return sum;
}

/** Every combination; an option such as `--mass 0.9,0.95` narrows one. */
function amounts(): Amount[] {
  const choices: Record<keyof Amount, number[]> = {
    relevantMin: [0.02, 0.04, 0.06],
    unsure: [0.04, 0.06, 0.08],
    sure: [0.3, 0.6],
    share: [0.13, 0.14, 0.15],
    charsMin: [1_500, 2_000, 2_500],
    charsMax: [6_000, 12_000],
    leastShare: [0.5],
    floor: [0, 0.02, 0.04],
  };
  let found: Amount[] = [AMOUNT];
  for (const name of Object.keys(choices) as (keyof Amount)[]) {
    const values = optionValue(`--${name}`)?.split(',').map(Number) ?? choices[name];
    found = found.flatMap((amount) => values.map((value) => ({ ...amount, [name]: value })));
  }
  return found;
}

function figuresOf(cases: PruneCase[], amount: Amount): Figures {
  let [kept, drops, foreign] = [0, 0, 0];
  for (const { page, foreign: away, question, own, other } of cases) {
    const chosen = selectChunks(own, amount);
    kept += question.answers.some(({ start, end }) => covers(chosen, start, end)) ? 1 : 0;
    drops += 1 - chars(chosen) / page.markdown.length;
    foreign += 1 - chars(selectChunks(other, amount)) / away.markdown.length;
  }
  return { kept: kept / cases.length, drops: drops / cases.length, foreign: foreign / cases.length };
}

/** Whether the chunks, in page order, contain all of a span; neighbours may share it. */
function covers(chunks: ScoredChunk[], start: number, end: number): boolean {
  let at = start;
  for (const chunk of chunks) if (chunk.start <= at && at < chunk.end) at = chunk.end;
  return at >= end;
}

function chars(chunks: ScoredChunk[]): number {
  return chunks.length === 0 ? OPENING_CHARS : chunks.reduce((sum, { start, end }) => sum + end - start, 0);
}

function optionValue(option: string): string | undefined {
  const at = process.argv.indexOf(option);
  return at === -1 ? undefined : process.argv[at + 1];
}

if (process.argv.includes('--fit')) fit();
else await measure();
