/**
 * What a model adds beside words and what it costs, at each place of use: npm run eval:models -- [--docs FOLDER] [MODEL ...], each MODEL
 * the folder of a static model or of an ONNX model. Its weight is chosen on every other question or query and measured on the rest. Of squad2_dev_half only
 * the pages are asked that the built-in table has not seen; it has seen none of the other sets.
 */
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { measure } from '../bench/known-item/measure.ts';
import { readCollection } from '../bench/known-item/text-collections.ts';
import { createLocalIndex } from '../src/index/local-index.ts';
import { createLog } from '../src/platform/log.ts';
import { NO_FILTERS } from '../src/text/query/filters.ts';
import { readQuery } from '../src/text/query/read-query.ts';
import { openJudges } from './models/judges.ts';
import { reportManuals } from './models/manual-order.ts';
import { type JudgedCase, judgeCase, orderOf, PLACES, successOf } from './models/places.ts';
import { type PassageSet, readPassageSets } from './passages/passage-sets.ts';

const data = process.env.EVAL_DATA ?? '../shared/data';
/** Every so many questions. */
const STEP = 4;
const WEIGHTS = [0, 0.5, 1, 2, 3, 4, 6, 8, 12, 16];
const SHARES = [0, 0.1, 0.2, 0.3, 0.5, 0.8, 1.2, 2, 4];
const COLLECTIONS = ['cranfield', 'cisi', 'med'];
const FOUND_MAX = 10;
const BATCH = 100;
const TEXT_CHARS = 1_000;

const { values, positionals } = parseArgs({ options: { docs: { type: 'string' } }, allowPositionals: true });
const { docs } = values;
const judges = await openJudges(positionals);
for (const { name, megabytes } of judges) console.log(`${name}: ${megabytes} MB`);
const sets = readPassageSets(data).filter(({ name }) => name === 'squad2_dev_half' || name === 'pubmedqa');
for (const [place, caseOf] of Object.entries(PLACES)) await reportPlace(place, caseOf);
for (const name of COLLECTIONS) await reportOrder(name);
if (docs !== undefined) await reportManuals(docs, judges);

async function reportPlace(place: string, caseOf: (typeof PLACES)[keyof typeof PLACES]): Promise<void> {
  for (const judge of judges) {
    const halves: JudgedCase[][][] = [];
    for (const set of sets) {
      const judged: JudgedCase[] = [];
      for (const { page, question } of asked(set))
        judged.push(await judgeCase(caseOf(page, question), judge));
      halves.push([0, 1].map((half) => judged.filter((_, at) => at % 2 === half)));
    }
    const meanOf = (half: number, weight: number): number =>
      halves.reduce((sum, parts) => sum + successOf(parts[half] ?? [], weight), 0);
    const weight = bestOf(WEIGHTS, (tried) => meanOf(0, tried));
    const cells = halves.map(
      ([, rest = []]) => `${percent(successOf(rest, 0))} -> ${percent(successOf(rest, weight))}`,
    );
    print([place, judge.name, `weight ${weight}`, ...cells, `${judge.msPerText().toFixed(2)} ms a text`]);
  }
}

function asked({ name, pages, questions }: PassageSet) {
  return questions
    .flatMap((question) => {
      const page = pages[question.page];
      const isWanted = page !== undefined && (name === 'pubmedqa' || isUnseen(page.id));
      return isWanted ? [{ page, question }] : [];
    })
    .filter((_, place) => place % STEP === 0);
}

/** The half that the training of the table leaves out (eval/embeddings/train-vectors.py). */
function isUnseen(pageId: string): boolean {
  return BigInt(`0x${createHash('md5').update(pageId).digest('hex')}`) % 2n === 1n;
}

/** nDCG@10 of the first ten pages of the index, in the order of sums. */
async function reportOrder(name: string): Promise<void> {
  const { pages, queries } = readCollection(data, name);
  const folder = mkdtempSync(join(tmpdir(), 'eval-models-'));
  const index = await createLocalIndex({ path: join(folder, 'index.db'), log: createLog('warn') });
  for (let at = 0; at < pages.length; at += BATCH) await index.put(pages.slice(at, at + BATCH));
  const texts = new Map(
    pages.map(({ url, title, markdown }) => [url, `${title}. ${markdown}`.slice(0, TEXT_CHARS)]),
  );
  for (const judge of judges) {
    const known = new Map<string, { urls: string[]; scores: number[]; judged: number[] }>();
    for (const { text } of queries) {
      const found = await index.search({ ...NO_FILTERS, query: readQuery(text), limit: FOUND_MAX });
      const urls = found.map(({ url }) => url);
      const judged = await judge.judge(
        text,
        urls.map((url) => texts.get(url) ?? ''),
      );
      known.set(text, { urls, scores: found.map(({ score }) => score), judged });
    }
    const ndcg = async (half: number, share: number): Promise<number> => {
      const chosen = queries.filter((_, place) => place % 2 === half);
      const { ndcg } = await measure(chosen, async (query) => orderedBy(known.get(query), share));
      return ndcg;
    };
    const tuned = new Map<number, number>();
    for (const share of SHARES) tuned.set(share, await ndcg(0, share));
    const share = bestOf(SHARES, (tried) => tuned.get(tried) ?? 0);
    const cell = `${(await ndcg(1, 0)).toFixed(3)} -> ${(await ndcg(1, share)).toFixed(3)}`;
    print([`order ${name}`, judge.name, `share ${share}`, cell, `${judge.msPerText().toFixed(2)} ms a text`]);
  }
  await index.close();
  rmSync(folder, { recursive: true, force: true });
}

function orderedBy(
  known: { urls: string[]; scores: number[]; judged: number[] } | undefined,
  share: number,
): string[] {
  if (known === undefined) return [];
  const { urls, scores, judged } = known;
  return orderOf(scores.map((score, place) => score + share * (judged[place] ?? 0))).map(
    (place) => urls[place] ?? '',
  );
}

/** The smallest of the best. */
function bestOf(tried: readonly number[], worthOf: (value: number) => number): number {
  return tried.reduce((best, value) => (worthOf(value) > worthOf(best) + 1e-9 ? value : best));
}

function percent(share: number): string {
  return (100 * share).toFixed(1);
}

function print(cells: string[]): void {
  console.log(cells.map((cell) => cell.padEnd(20)).join(' '));
}
