/**
 * Fits the weights of the quoted answer: npm run train:answer -- --docs=<folder like /usr/share/doc> ... [--kept=<folder>] [--write] [--every=3] [--technical].
 * First, five models are each trained without a fifth of the articles and judged on those: the honest figures, by threshold. The
 * manuals that are held out are in no model. With `--write`, a model of everything else replaces the one in use; with `--technical` only
 * manuals are read, and only the weights of technical pages replaced; without a folder of manuals, only those of prose.
 */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CHOICE_WEIGHTS, TRUST_WEIGHTS } from '../src/text/answer/answer-weights.ts';
import {
  detectPageKind,
  findQuoteCandidates,
  PAGE_KINDS,
  type PageKind,
  type QuoteCandidate,
} from '../src/text/answer/candidates.ts';
import { chooseQuote, TRUST_FEATURES, weighFigures } from '../src/text/answer/choose-quote.ts';
import { FEATURES } from '../src/text/answer/features.ts';
import { chooseShownWindow } from '../src/text/answer/quote-answer.ts';
import { buildWindowText, type Window } from '../src/text/answer/windows.ts';
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
import { manualSets } from './answer/manual-cases.ts';
import { everydaySets } from './everyday/everyday-pages.ts';

const FOLDS = 5;
const FOLD_NUMBERS = Array.from({ length: FOLDS }, (_, fold) => fold);
const WEIGHTS_FILE = new URL('../src/text/answer/answer-weights.ts', import.meta.url);
const THRESHOLDS = [0.4, 0.5, 0.55, 0.6, 0.65, 0.7, 0.8];
/** A scorer of words cannot recognise questions that only seem to be answered; they should not dominate the rest. */
const UNANSWERABLE_WEIGHT = 0.3;
/** They are few, and pages and questions as most people have them. */
const EVERYDAY_WEIGHT = 40;
/** There are few questions over manuals, and many over encyclopedias. */
const TRUST_RIDGES: Record<PageKind, number> = { prose: 3, technical: 10 };

const readModelInUse = (kind: PageKind): Model => ({
  choice: FEATURES.map((name) => CHOICE_WEIGHTS[kind][name]),
  trust: TRUST_FEATURES.map((name) => TRUST_WEIGHTS[kind][name]),
});

/** The needed parts of a candidate only: there are about 150,000. */
type Candidate = Pick<QuoteCandidate, 'page' | 'window' | 'features'> & Row & { isShownRight: boolean };
type Measured = {
  set: CaseSet;
  fold: number;
  isHeldOut: boolean;
  pageKind: PageKind;
  candidates: Candidate[];
};
/** Weights in the order of `FEATURES` and of `TRUST_FEATURES`. */
type Model = { choice: number[]; trust: number[] };
type Models = Record<PageKind, Model>;
type Given = { score: number; isRight: boolean };

const data = process.env.EVAL_DATA ?? '../shared/data';
const every = Number(process.argv.find((each) => each.startsWith('--every='))?.slice(8) ?? 1);
const manuals = manualSets(
  process.argv.filter((each) => each.startsWith('--docs=')).map((each) => each.slice(7)),
  process.argv.find((each) => each.startsWith('--kept='))?.slice(7) ??
    mkdtempSync(join(tmpdir(), 'manuals-')),
);
const isTechnical = process.argv.includes('--technical');
const everyday = isTechnical ? [] : everydaySets('fitting');
const sets: CaseSet[] = [
  ...manuals,
  ...everyday,
  ...(isTechnical ? [] : squadSets(data)),
  ...(isTechnical ? [] : qedSets(data)),
  ...(isTechnical ? [] : XQUAD_LANGUAGES).flatMap((language) => thinned(squadSets(data, 'xquad', language))),
];
const measured = sets.flatMap((set) =>
  set.cases
    .filter((_, place) => place % every === 0 || isManual(set) || everyday.includes(set))
    .map((one) => measure(set, one)),
);
console.log(
  `${measured.length} questions, ${measured.flatMap(({ candidates }) => candidates).length} passages`,
);
const models = FOLD_NUMBERS.map((fold) =>
  fit(measured.filter((each) => each.fold !== fold && !each.isHeldOut)),
);
/** What is written. It may judge the manuals that are held out. */
const whole = fit(measured.filter(({ isHeldOut }) => !isHeldOut));
for (const set of sets) if (set.cases.length > 0) printCurve(set.name, set.kind, (each) => each.set === set);
for (const isHeldOut of [false, true]) {
  const isOf = (each: Measured): boolean => isManual(each.set) && each.isHeldOut === isHeldOut;
  const name = isHeldOut ? 'all manuals that are held out' : 'all other manuals';
  printCurve(name, 'answerable', (each) => isOf(each) && each.set.kind === 'answerable');
  printCurve(name, 'unanswerable', (each) => isOf(each) && each.set.kind === 'unanswerable');
}
if (process.argv.includes('--write'))
  write({
    prose: isTechnical ? readModelInUse('prose') : whole.prose,
    technical: manuals.length === 0 ? readModelInUse('technical') : whole.technical,
  });

/** Its questions are the same in every language. */
function thinned(some: CaseSet[]): CaseSet[] {
  return some.map((set) => ({ ...set, cases: set.cases.filter((_, place) => place % XQUAD_EVERY === 0) }));
}

function isManual(set: CaseSet): boolean {
  return manuals.some((one) => one === set);
}

function measure(set: CaseSet, one: AnswerCase): Measured {
  const weight = everyday.includes(set)
    ? EVERYDAY_WEIGHT
    : set.kind === 'unanswerable' && !isManual(set)
      ? UNANSWERABLE_WEIGHT
      : 1;
  const isHeldOut = manuals.some((manual) => manual === set && manual.isJudged);
  const pageKind = detectPageKind(one.pages);
  const candidates = findQuoteCandidates(readQuery(one.query), one.pages, pageKind).map((candidate) => {
    const { page, window, features } = candidate;
    const holds = (shown: Window): boolean =>
      isRight(one, { ...buildWindowText(page.markdown, shown), url: page.url });
    return {
      page,
      window,
      features,
      weight,
      isRight: holds(window),
      isShownRight: holds(chooseShownWindow(candidate, pageKind)),
    };
  });
  return { set, fold: foldOf(one.group), isHeldOut, pageKind, candidates };
}

function foldOf(group: string): number {
  let hash = 7;
  for (const char of group) hash = (hash * 31 + (char.codePointAt(0) ?? 0)) % 1_000_003;
  return hash % FOLDS;
}

/** A model for each kind of page. */
function fit(seen: Measured[]): Models {
  const of = (kind: PageKind): Measured[] => seen.filter((each) => each.pageKind === kind);
  return { prose: fitKind(of('prose'), 'prose'), technical: fitKind(of('technical'), 'technical') };
}

/** First which of the candidates is right, then whether the one is that is chosen by weights which have not seen its article. */
function fitKind(seen: Measured[], kind: PageKind): Model {
  const rows = FOLD_NUMBERS.flatMap((fold) => {
    const choice = choiceOf(seen.filter((each) => each.fold !== fold));
    return seen
      .filter((each) => each.fold === fold)
      .flatMap(({ candidates }) => chooseQuote(candidates, choice) ?? [])
      .map(({ candidate, figures }) => ({
        weight: candidate.weight,
        features: figures,
        isRight: candidate.isShownRight,
      }));
  });
  return {
    choice: choiceOf(seen),
    trust: fitLogistic(rows, TRUST_FEATURES.length, TRUST_RIDGES[kind]),
  };
}

function choiceOf(seen: Measured[]): number[] {
  return fitLogistic(
    seen.flatMap(({ candidates }) => candidates),
    FEATURES.length,
  );
}

/** For each threshold: the share of questions that get an answer, and the share of those that is right. */
function printCurve(name: string, kind: string, isOf: (each: Measured) => boolean): void {
  const given = measured.filter(isOf).map(judged);
  const right = given.filter((one) => one?.isRight).length;
  console.log(`\n${name}, ${kind}: ${given.length} questions; best right ${percent(right, given.length)}`);
  for (const least of THRESHOLDS) {
    const shown = given.filter((one) => one !== null && one.score >= least);
    const ofThem = percent(shown.filter((one) => one?.isRight).length, shown.length);
    console.log(`  ${least.toFixed(2)}  given ${percent(shown.length, given.length)}  right ${ofThem}`);
  }
}

function judged({ candidates, fold, pageKind, isHeldOut }: Measured): Given | null {
  const model = isHeldOut ? whole : models[fold];
  const { choice, trust } = model?.[pageKind] ?? { choice: [], trust: [] };
  const chosen = chooseQuote(candidates, choice);
  if (chosen === null) return null;
  return {
    score: 1 / (1 + Math.exp(-weighFigures(chosen.figures, trust))),
    isRight: chosen.candidate.isShownRight,
  };
}

function percent(part: number, of: number): string {
  return `${((100 * part) / Math.max(1, of)).toFixed(1).padStart(5)} %`;
}

function write(all: Models): void {
  const table = (names: readonly string[], weights: number[]): string =>
    names.map((name, place) => `    ${name}: ${Number((weights[place] ?? 0).toFixed(2))},\n`).join('');
  const tables = (names: readonly string[], part: keyof Model): string =>
    PAGE_KINDS.map((kind) => `  ${kind}: {\n${table(names, all[kind][part])}  },\n`).join('');
  writeFileSync(
    WEIGHTS_FILE,
    `import type { TRUST_FEATURES } from './choose-quote.ts';
import type { FEATURES } from './features.ts';
import type { PageKind } from './candidates.ts';

/** Written by eval/train-answer.ts: the weights of the features when a passage is chosen. */
export const CHOICE_WEIGHTS: Record<PageKind, Record<(typeof FEATURES)[number], number>> = {
${tables(FEATURES, 'choice')}};

/** Written by eval/train-answer.ts: the weights of the features when deciding whether to give the chosen passage. */
export const TRUST_WEIGHTS: Record<PageKind, Record<(typeof TRUST_FEATURES)[number], number>> = {
${tables(TRUST_FEATURES, 'trust')}};
`,
  );
}
