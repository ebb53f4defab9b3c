import {
  buildOrderFeatures,
  buildRelevanceFeatures,
  chooseWeightsKind,
  type FeatureRow,
  findBestEvidence,
} from '../../src/text/scoring/page-evidence.ts';
import { fitLogistic, type Row } from '../answer/fit-logistic.ts';
import type { JudgedPage, JudgedQuery, JudgedSet } from './sets.ts';

type Kind = 'meant' | 'words';
export type Weights = Record<Kind, FeatureRow>;

/** Of one query so many right pages are set against so many others. */
const PAIRS = { right: 8, other: 30 };
/** Relevance is learned from the pages that a search might show. */
const SHOWN = 25;
/** Nobody judged the other pages of a manual, of which most are not relevant. */
const NEAR_WEIGHT = 0.25;
/** Weight of a set among all. */
const SET_WEIGHT = 1_000;
const RIDGE = { order: 0.03, relevance: 0.1 };
const BY_MEANING = new Set(['meaning', 'named', 'longMeaning', 'behindMeaning', 'behindNamed']);
/** More of these never counts against a page. */
const RISING = new Set([
  ...[
    'fed',
    'lexical',
    'stretch',
    'narrow',
    'meaning',
    'named',
    'matched',
    'held',
    'side',
    'gathered',
    'gatheredWeight',
    'told',
    'whole',
  ],
  ...['behindLexical', 'behindStretch', 'behindMeaning', 'behindNamed'],
  ...['behindGathered', 'behindTold', 'behindWhole'],
]);

const withoutMeaning = ({ evidence, ...page }: JudgedPage): JudgedPage => ({
  ...page,
  evidence: { ...evidence, meaning: null, named: 0 },
});

const forKind = (pages: JudgedPage[], kind: Kind): JudgedPage[] =>
  kind === 'words'
    ? pages.map(withoutMeaning)
    : pages.filter(({ evidence }) => chooseWeightsKind(evidence) === kind);

const forBoth = (fit: (kind: Kind) => FeatureRow): Weights => ({ meant: fit('meant'), words: fit('words') });

/** Fits the order of the pages of a query: right pages before others, by logistic regression on their differences. */
export function fitOrder(sets: readonly JudgedSet[]): Weights {
  return forBoth((kind) =>
    fitted(
      sets.flatMap(({ use, queries }) => {
        const tuned = queries.filter(({ isTuned }) => isTuned);
        return tuned.flatMap((query) =>
          pairs(forKind(query.pages, kind), (SET_WEIGHT * use.order) / tuned.length),
        );
      }),
      { kind, ridge: RIDGE.order },
    ),
  );
}

function pairs(pages: JudgedPage[], weight: number): Example[] {
  const rows = pages.map(({ evidence, grade }) => ({ grade, row: buildOrderFeatures(evidence) }));
  const right = rows.filter(({ grade }) => grade > 0).slice(0, PAIRS.right);
  const others = rows.filter(({ grade }) => grade === 0).slice(0, PAIRS.other);
  const share = weight / Math.max(1, right.length * others.length);
  return right.flatMap((one) =>
    others.map((other) => ({ row: difference(one.row, other.row), isRight: true, weight: share })),
  );
}

const difference = (left: FeatureRow, right: FeatureRow): FeatureRow =>
  Object.fromEntries(Object.entries(left).map(([name, value]) => [name, value - (right[name] ?? 0)]));

/** Fits the probability of relevance of the first pages of each query, in the order in which `pagesOf` gives them. */
export function fitRelevance(
  sets: readonly JudgedSet[],
  pagesOf: (query: JudgedQuery) => JudgedPage[],
): Weights {
  return forBoth((kind) =>
    fitted(
      sets.flatMap(({ use, queries }) => {
        const tuned = queries.filter(({ isTuned }) => isTuned);
        const weight = (SET_WEIGHT * use.relevance) / (tuned.length * SHOWN);
        return tuned.flatMap((query) => {
          const pages = forKind(pagesOf(query), kind);
          const best = findBestEvidence(pages.map(({ evidence }) => evidence));
          return pages.slice(0, SHOWN).map(({ evidence, grade, isNear }) => ({
            row: buildRelevanceFeatures(evidence, best),
            isRight: grade > 0,
            weight: weight * (isNear ? NEAR_WEIGHT : 1),
          }));
        });
      }),
      { kind, ridge: RIDGE.relevance },
    ),
  );
}

type Example = { row: FeatureRow; isRight: boolean; weight: number };

/** Weights by name; a feature that would count against a page that has more of it is left out, one after the other. */
function fitted(examples: Example[], { kind, ridge }: { kind: Kind; ridge: number }): FeatureRow {
  const used = examples.filter(({ weight }) => weight > 0);
  let names = Object.keys(used[0]?.row ?? {}).filter((name) => kind === 'meant' || !BY_MEANING.has(name));
  for (;;) {
    const rows = used.map(
      ({ row, isRight, weight }): Row => ({ features: names.map((name) => row[name] ?? 0), isRight, weight }),
    );
    const weights = fitLogistic(rows, names.length, ridge);
    const wrong = names
      .map((name, place) => ({ name, weight: weights[place] ?? 0 }))
      .filter(({ name, weight }) => RISING.has(name) && weight < 0)
      .sort((left, right) => left.weight - right.weight)[0];
    if (wrong === undefined)
      return Object.fromEntries(names.map((name, place) => [name, rounded(weights[place] ?? 0)]));
    names = names.filter((name) => name !== wrong.name);
  }
}

const rounded = (value: number): number => Math.round(value * 100) / 100;
