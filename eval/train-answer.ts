/**
 * Fits the weights of the quoted answer: npm run train:answer [-- --write] [-- --every=3].
 * First, five models are each trained without a fifth of the articles and judged on those: the honest figures, by threshold. With
 * `--write`, a model of everything replaces the one in use.
 */
import { writeFileSync } from 'node:fs';
import { candidatesOf, type QuoteCandidate } from '../src/text/answer/candidates.ts';
import { chooseQuote, TRUST_FEATURES, weighed } from '../src/text/answer/choose-quote.ts';
import { FEATURES } from '../src/text/answer/features.ts';
import { textOf } from '../src/text/answer/windows.ts';
import { readQuery } from '../src/text/query/read-query.ts';
import {
  type AnswerCase,
  type CaseSet,
  isRight,
  qedSets,
  squadSets,
  XQUAD_EVERY,
  XQUAD_LANGUAGES,
} from './answer/answer-cases.ts';
import { fitLogistic, type Row } from './answer/fit-logistic.ts';

const FOLDS = 5;
const WEIGHTS_FILE = new URL('../src/text/answer/answer-weights.ts', import.meta.url);
const THRESHOLDS = [0.4, 0.5, 0.55, 0.6, 0.65, 0.7, 0.8];
/** A scorer of words cannot recognise questions that only seem to be answered; they should not dominate the rest. */
const UNANSWERABLE_WEIGHT = 0.3;

/** The needed parts of a candidate only: there are about 150,000. */
type Candidate = Pick<QuoteCandidate, 'page' | 'window' | 'features'> & Row;
type Measured = { set: CaseSet; fold: number; candidates: Candidate[] };
/** Weights in the order of `FEATURES` and of `TRUST_FEATURES`. */
type Model = { choice: number[]; trust: number[] };
type Given = { score: number; isRight: boolean };

const data = process.env.EVAL_DATA ?? '../shared/data';
const every = Number(process.argv.find((each) => each.startsWith('--every='))?.slice(8) ?? 1);
const sets = [
  ...squadSets(data),
  ...qedSets(data),
  ...XQUAD_LANGUAGES.flatMap((language) => thinned(squadSets(data, 'xquad', language))),
];
const measured = sets.flatMap((set) =>
  set.cases.filter((_, place) => place % every === 0).map((one) => measure(set, one)),
);
console.log(
  `${measured.length} questions, ${measured.flatMap(({ candidates }) => candidates).length} passages`,
);
const models = Array.from({ length: FOLDS }, (_, fold) => fit(measured.filter((each) => each.fold !== fold)));
for (const set of sets) if (set.cases.length > 0) printCurve(set);
if (process.argv.includes('--write')) write(fit(measured));

/** Its questions are the same in every language. */
function thinned(some: CaseSet[]): CaseSet[] {
  return some.map((set) => ({ ...set, cases: set.cases.filter((_, place) => place % XQUAD_EVERY === 0) }));
}

function measure(set: CaseSet, one: AnswerCase): Measured {
  const weight = set.kind === 'unanswerable' ? UNANSWERABLE_WEIGHT : 1;
  const candidates = candidatesOf(readQuery(one.query), one.pages).map(({ page, window, features }) => ({
    ...{ page, window, features, weight },
    isRight: isRight(one, { ...textOf(page.markdown, window), url: page.url }),
  }));
  return { set, fold: foldOf(one.group), candidates };
}

function foldOf(group: string): number {
  let hash = 7;
  for (const char of group) hash = (hash * 31 + (char.codePointAt(0) ?? 0)) % 1_000_003;
  return hash % FOLDS;
}

/** First which of the candidates is right, then whether the chosen one is. */
function fit(seen: Measured[]): Model {
  const choice = fitLogistic(
    seen.flatMap(({ candidates }) => candidates),
    FEATURES.length,
  );
  const chosen = seen.flatMap(({ candidates }) => chooseQuote(candidates, choice) ?? []);
  const rows = chosen.map(({ candidate, figures }) => ({ ...candidate, features: figures }));
  return { choice, trust: fitLogistic(rows, TRUST_FEATURES.length) };
}

/** For each threshold: the share of questions that get an answer, and the share of those that is right. */
function printCurve(set: CaseSet): void {
  const given = measured.filter((each) => each.set === set).map(judged);
  const right = given.filter((one) => one?.isRight).length;
  console.log(
    `\n${set.name}, ${set.kind}: ${given.length} questions; best right ${percent(right, given.length)}`,
  );
  for (const least of THRESHOLDS) {
    const shown = given.filter((one) => one !== null && one.score >= least);
    const ofThem = percent(shown.filter((one) => one?.isRight).length, shown.length);
    console.log(`  ${least.toFixed(2)}  given ${percent(shown.length, given.length)}  right ${ofThem}`);
  }
}

function judged({ candidates, fold }: Measured): Given | null {
  const { choice, trust } = models[fold] ?? { choice: [], trust: [] };
  const chosen = chooseQuote(candidates, choice);
  if (chosen === null) return null;
  return {
    score: 1 / (1 + Math.exp(-weighed(chosen.figures, trust))),
    isRight: chosen.candidate.isRight,
  };
}

function percent(part: number, of: number): string {
  return `${((100 * part) / Math.max(1, of)).toFixed(1).padStart(5)} %`;
}

function write({ choice, trust }: Model): void {
  const table = (names: readonly string[], weights: number[]): string =>
    names.map((name, place) => `  ${name}: ${Number((weights[place] ?? 0).toFixed(3))},\n`).join('');
  writeFileSync(
    WEIGHTS_FILE,
    `import type { TRUST_FEATURES } from './choose-quote.ts';
import type { FEATURES } from './features.ts';

/** Written by eval/train-answer.ts: how much each figure speaks for a passage when one is chosen. */
export const CHOICE_WEIGHTS: Record<(typeof FEATURES)[number], number> = {
${table(FEATURES, choice)}};

/** Written by eval/train-answer.ts: how much each figure speaks for giving the chosen passage at all. */
export const TRUST_WEIGHTS: Record<(typeof TRUST_FEATURES)[number], number> = {
${table(TRUST_FEATURES, trust)}};
`,
  );
}
