/**
 * Fits the weights of the passage scorer: npm run train:passages -- --docs <folder like usr/share/doc> [--docs ...] [--write]. Two tables:
 * one for English pages, with the static table, from squad2_dev_half, qed_train, pubmedqa and manuals; one for all others, without, from
 * the first two and xquad. Prints first what weights fitted on one half of the pages reach on the other half (answer at its place in the
 * first 1 / 3 / 5 chunks).
 */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { chunkMarkdown } from '../../src/text/chunk/chunk-markdown.ts';
import { findTokenTable } from '../../src/text/embeddings/encoder-for.ts';
import { readChunks } from '../../src/text/passages/chunk-terms.ts';
import { computePassageFeatures, FEATURES, type Feature } from '../../src/text/passages/features.ts';
import { WEIGHTS } from '../../src/text/passages/score-passages.ts';
import { readQuery } from '../../src/text/query/read-query.ts';
import { type Choice, fitChoices, type Sample } from './fit-choices.ts';
import { HELD_OUT, manualSets } from './manual-sets.ts';
import { type PassageSet, readPassageSets } from './passage-sets.ts';

const WEIGHTS_FILE = new URL('../../src/text/passages/weights.ts', import.meta.url);
/** Of the table without vectors: no page of its sets has a heading, so the weight of one above the chunk is set by hand. */
const HEADING_WEIGHT = 0.5;
/** Features that read English only or need vectors: 0 in the table for all languages. */
const ENGLISH_ONLY: ReadonlySet<Feature> = new Set([
  ...(['chunkMeaning', 'sentenceMeaning', 'length', 'says', 'code', 'verdict'] as const),
  ...(['blockCovered', 'codeShare', 'linkShare', 'aligned', 'named'] as const),
]);
/** Few questions of the sets ask for a date or a number: with less it would not choose between chunks that say the same. */
const LEAST: Partial<Record<Feature, number>> = { askedKind: 0.2 };
/** Weight of all other languages together relative to English if both are fitted. */
const OTHERS_SHARE = 3;
/** Weights of the sets in the table for English. Abstracts are few and short, with their answers at the end. */
const SHARES: Record<string, number> = {
  manuals: 3,
  technical: 3,
  [HELD_OUT]: 0,
  headings: 1,
  anchors: 1,
  pubmedqa: 0.3,
  'xquad en': 0.6,
};
const SHARE = 0.9;
const QUESTIONS_MAX = 400;
const FIRST = [1, 3, 5];

const { values } = parseArgs({
  options: {
    docs: { type: 'string', multiple: true, default: ['/usr/share/doc'] },
    english: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
  },
});
const sets = readPassageSets(process.env.EVAL_DATA ?? '../shared/data').map(thinned);
const others = sets.filter(({ name }) => name.startsWith('xquad') && name !== 'xquad en');
const paragraphs = sets.filter(({ name }) => /^(?:squad|qed)/.test(name));
const english = [...sets.filter((set) => !others.includes(set)), ...manualSets(values.docs).map(thinned)];
const tables = {
  WEIGHTS_WITH_VECTORS: fitted(english, { withVectors: true }),
  WEIGHTS: values.english
    ? FEATURES.map((feature) => WEIGHTS[feature])
    : fitted([...paragraphs, ...others], { withVectors: false }),
};
if (values.write) writeFileSync(WEIGHTS_FILE, written(tables));

type Fold = 0 | 1;
type Measured = Sample & { name: string; fold: Fold };

function fitted(from: PassageSet[], { withVectors }: { withVectors: boolean }): number[] {
  const samples = from.map((set) => ({ set, choices: choicesOf(set, withVectors) }));
  const measured: Measured[] = samples.flatMap(({ set, choices }) =>
    ([0, 1] as const).map((fold) => {
      const own = choices.filter(({ page }) => page % 2 === fold);
      return {
        name: set.name,
        fold,
        choices: own,
        weight: weightOf(set, withVectors) / Math.max(1, own.length),
      };
    }),
  );
  const fit = (some: Sample[]): number[] => (withVectors ? raised(fitChoices(some)) : fitChoices(some));
  const halves = [0, 1].map((fold) => fit(measured.filter((sample) => sample.fold !== fold)));
  for (const { set } of samples) {
    const hits = measured
      .filter(({ name }) => name === set.name)
      .flatMap(({ fold, choices }) => choices.map((choice) => rankOf(choice, halves[fold] ?? [])));
    const shares = FIRST.map((first) => (100 * hits.filter((rank) => rank < first).length) / hits.length);
    console.log(`${set.name.padEnd(20)}${shares.map((share) => share.toFixed(1)).join(' / ')}`);
  }
  return fit(measured);
}

function raised(weights: number[]): number[] {
  return FEATURES.map((feature, at) =>
    Math.max(weights[at] ?? 0, LEAST[feature] ?? Number.NEGATIVE_INFINITY),
  );
}

/** Some questions of a large set, of pages with odd and even numbers alike. */
function thinned(set: PassageSet): PassageSet {
  const step = Math.max(1, set.questions.length / QUESTIONS_MAX);
  const count = Math.floor(set.questions.length / step);
  const questions = Array.from({ length: count }, (_, place) => set.questions[Math.floor(place * step)]);
  return { ...set, questions: questions.filter((question) => question !== undefined) };
}

function weightOf({ name }: PassageSet, withVectors: boolean): number {
  if (withVectors) return SHARES[name] ?? SHARE;
  return name.startsWith('xquad') ? OTHERS_SHARE / others.length : 1 / paragraphs.length;
}

function choicesOf({ pages, questions }: PassageSet, withVectors: boolean): (Choice & { page: number })[] {
  const opened = pages.map(({ markdown, language }) => {
    const chunks = chunkMarkdown(markdown);
    return { chunks, terms: readChunks(chunks, language), language };
  });
  return questions.flatMap(({ page, text, answers }) => {
    const at = opened[page];
    if (at === undefined || at.chunks.length < 2) return [];
    const { columns } = computePassageFeatures(
      at.terms,
      readQuery(text).forPassages(at.language),
      withVectors ? findTokenTable(at.language) : null,
    );
    const rows = new Float32Array(at.chunks.length * FEATURES.length);
    for (const [place, feature] of FEATURES.entries()) {
      if (!withVectors && ENGLISH_ONLY.has(feature)) continue;
      for (const [chunk, value] of columns[feature].entries()) rows[chunk * FEATURES.length + place] = value;
    }
    const right = at.chunks.flatMap(({ start, end }, chunk) =>
      answers.some((answer) => answer.start >= start && answer.end <= end) ? [chunk] : [],
    );
    return [{ page, rows, columns: FEATURES.length, right }];
  });
}

/** Rank of the first right chunk by the weights, from 0; infinite if no chunk is right. */
function rankOf({ rows, columns, right }: Choice, weights: number[]): number {
  const scores = Array.from({ length: rows.length / columns }, (_, chunk) =>
    weights.reduce((sum, weight, at) => sum + weight * (rows[chunk * columns + at] ?? 0), 0),
  );
  const best = Math.max(...right.map((chunk) => scores[chunk] ?? 0));
  return right.length === 0 ? Number.POSITIVE_INFINITY : scores.filter((score) => score > best).length;
}

function written(weights: Record<string, number[]>): string {
  const entry = (table: string, feature: Feature, value: number): string =>
    `  ${feature}: ${table === 'WEIGHTS' && feature === 'heading' ? HEADING_WEIGHT : Number(value.toFixed(3))},\n`;
  const table = ([name, values]: [string, number[]]): string =>
    `export const ${name}: Readonly<Record<Feature, number>> = {\n` +
    `${FEATURES.map((feature, at) => entry(name, feature, values[at] ?? 0)).join('')}};\n`;
  const [withVectors, without] = Object.entries(weights).map(table);
  return [
    "import type { Feature } from './features.ts';\n",
    `/** Written by eval/passages/train.ts. For English pages. */\n${withVectors ?? ''}`,
    `/** Written by eval/passages/train.ts. For pages in any other language. */\n${without ?? ''}`,
  ].join('\n');
}
