/**
 * Measures how often the answer is in the first 1, 3 and 5 highlights, against BM25 over the same chunks:
 * npm run eval:passages [-- --small] [NAME] (every tenth question; sets whose name contains NAME). The folder of the sets comes from EVAL_DATA. Weights were fitted on
 * some of these questions; `npm run train:passages` prints the figures of weights on questions they have not seen. A hundred questions of
 * each set are also asked over HTTP (`--served 0` for none), and the run fails if what is served differs by more than a point.
 */

import { parseArgs } from 'node:util';
import { chunkMarkdown } from '../src/text/chunk/chunk-markdown.ts';
import { chooseHighlights } from '../src/text/prune/highlights.ts';
import { scoreChunks } from '../src/text/prune/score-chunks.ts';
import { readQuery } from '../src/text/query/read-query.ts';
import { openParagraphs } from './answer/paragraphs.ts';
import { type EvaluatedClaim, recordClaim } from './evaluated-claims.ts';
import {
  type PassagePage,
  type PassageSet,
  type Question,
  readPassageSets,
} from './passages/passage-sets.ts';
import { servePages } from './prune/served-pages.ts';
import { compareShares } from './ranking/served-index.ts';

const FIRST = [1, 3, 5] as const;
const FIRST_MAX = 5;
const ENGINES = ['ours', 'BM25'] as const;
type Engine = (typeof ENGINES)[number];
type Find = Record<Engine, (query: string) => string[]>;
const SMALL_STEP = 10;

const heading = ENGINES.map((engine) => engine.padEnd(21)).join('');
console.log(`${'answer in the first 1 / 3 / 5, %'.padEnd(34)}${'questions'.padEnd(11)}${heading}ours - BM25`);
const { values, positionals } = parseArgs({
  options: { small: { type: 'boolean', default: false }, served: { type: 'string', default: '100' } },
  allowPositionals: true,
});
const step = values.small ? SMALL_STEP : 1;
const [nameToFind = ''] = positionals;
const served = await servePages();
for (const set of readPassageSets(process.env.EVAL_DATA ?? '../shared/data'))
  if (set.name.includes(nameToFind)) {
    report(set);
    await compareServed(set);
  }
await served.close();

function report({ name, pages, questions }: PassageSet): void {
  const asked = questions.filter((_, place) => place % step === 0);
  const hits = Object.fromEntries(ENGINES.map((engine) => [engine, FIRST.map(() => 0)]));
  const opened = new Map<number, Find>();
  const rows: EvaluatedClaim['rows'] = [];
  for (const question of asked) {
    const page = pages[question.page];
    if (page === undefined) continue;
    const find = opened.get(question.page) ?? finders(page);
    opened.set(question.page, find);
    const [ours, baseline] = ENGINES.map((engine) =>
      Number(count(hits[engine] ?? [], find[engine](question.text), page, question) === 0),
    );
    rows.push({ ours: ours ?? 0, baseline: baseline ?? 0 });
  }
  print(name, asked.length, hits);
  recordClaim({ claim: 'answer in the first passage', set: name, fitted: 'weights', baseline: 'BM25', rows });
}

/** Asks some questions over HTTP and inside. The run fails if the answer is in the first 1, 3 or 5 highlights for a point more or less. */
async function compareServed({ name, pages, questions }: PassageSet): Promise<void> {
  const step = Math.max(1, questions.length / Number(values.served));
  const taken = questions.filter((_, place) => Math.floor(place % step) === 0);
  if (taken.length === 0 || values.served === '0') return;
  const hits: Record<'served' | 'inside', number[]> = {
    served: FIRST.map(() => 0),
    inside: FIRST.map(() => 0),
  };
  for (const question of taken) {
    const page = pages[question.page];
    if (page === undefined) continue;
    count(hits.inside, finders(page).ours(question.text), page, question);
    count(hits.served, await served.highlight(page.markdown, question.text, FIRST_MAX), page, question);
  }
  const written = ({ served: shares }: typeof hits): string =>
    shares.map((found) => ((100 * found) / taken.length).toFixed(1)).join(' / ');
  console.log(`${`  over HTTP`.padEnd(34)}${String(taken.length).padEnd(11)}${written(hits)}`);
  for (const [at, first] of FIRST.entries())
    compareShares(`${name}, first ${first}`, {
      served: (hits.served[at] ?? 0) / taken.length,
      inside: (hits.inside[at] ?? 0) / taken.length,
    });
}

/** Counts the first passage with an answer, and returns its place; -1 if there is none. */
function count(hits: number[], found: string[], page: PassagePage, { answers }: Question): number {
  const texts = answers.map(({ start, end }) => page.markdown.slice(start, end));
  const place = found.findIndex((passage) => texts.some((text) => passage.includes(text)));
  for (const [at, first] of FIRST.entries())
    if (place !== -1 && place < first) hits[at] = (hits[at] ?? 0) + 1;
  return place;
}

function finders({ markdown, language }: PassagePage): Find {
  const chunks = chunkMarkdown(markdown);
  const paragraphs = openParagraphs(
    chunks.map((chunk) => chunk.markdown),
    language,
  );
  return {
    ours: (query) =>
      chooseHighlights(scoreChunks(chunks, readQuery(query), language), {
        perUrl: FIRST_MAX,
        charsMax: null,
      }).map(({ markdown }) => markdown),
    BM25: (query) =>
      paragraphs
        .rank(query)
        .slice(0, FIRST_MAX)
        .map((place) => chunks[place]?.markdown ?? ''),
  };
}

function print(name: string, asked: number, hits: Record<string, number[]>): void {
  const shares = (engine: Engine): number[] => (hits[engine] ?? []).map((count) => (100 * count) / asked);
  const cells = ENGINES.map((engine) =>
    shares(engine)
      .map((share) => share.toFixed(1))
      .join(' / ')
      .padEnd(21),
  );
  const lead = shares('ours').map((share, at) => signed(share - (shares('BM25')[at] ?? 0)));
  console.log(`${name.padEnd(34)}${String(asked).padEnd(11)}${cells.join('')}${lead.join(' / ')}`);
}

function signed(difference: number): string {
  return `${difference < 0 ? '' : '+'}${difference.toFixed(1)}`;
}
