import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readManual } from '../../bench/known-item/manuals.ts';
import { createLocalIndex } from '../../src/index/local-index.ts';
import type { FoundPage } from '../../src/index/local-index-types.ts';
import { createLog } from '../../src/platform/log.ts';
import { mixScores } from '../../src/recall/fusion/mix-scores.ts';
import { NO_FILTERS } from '../../src/text/query/filters.ts';
import { readQuery } from '../../src/text/query/read-query.ts';
import type { Judge } from './judges.ts';

type Asked = { id: string; manual: string; question: string };

const FOUND_MAX = 10;
/** What a search hands to the model of RERANK_MODEL. */
const JUDGED_MAX = 8;
const BATCH = 100;
const FIRST = [1, 3] as const;

/**
 * The 80 questions of eval/manuals, each asked of the index of its manual: how often a right page is first and in the first three, by
 * words, and with the judgements of each model mixed in as a search mixes those of RERANK_MODEL.
 */
export async function reportManuals(docs: string, judges: readonly Judge[]): Promise<void> {
  const questions = readJson<Asked[]>('questions.json');
  const right = new Map(
    readJson<{ id: string; pages: string[] }[]>('judgements.json').map(({ id, pages }) => [id, pages]),
  );
  const hits = new Map<string, number[]>();
  const count = (name: string, found: readonly FoundPage[], { id }: Asked): void => {
    const place = found.findIndex(({ url }) => right.get(id)?.some((page) => url.endsWith(`/${page}`)));
    const counted = hits.get(name) ?? FIRST.map(() => 0);
    hits.set(
      name,
      counted.map((sum, at) => sum + (place !== -1 && place < (FIRST[at] ?? 0) ? 1 : 0)),
    );
  };
  for (const manual of new Set(questions.map((asked) => asked.manual)))
    await withIndex(docs, manual, async (search) => {
      for (const asked of questions.filter((other) => other.manual === manual)) {
        const found = await search(asked.question);
        count('words', found, asked);
        const texts = found.slice(0, JUDGED_MAX).map(({ title, snippet }) => `${title}. ${snippet}`);
        for (const judge of judges)
          count(judge.name, mixScores(found, await judge.judge(asked.question, texts)), asked);
      }
    });
  for (const [name, [first = 0, three = 0]] of hits)
    console.log(`manuals, ${name}: first ${share(first, questions)}, in three ${share(three, questions)}`);
}

async function withIndex(
  docs: string,
  manual: string,
  work: (search: (query: string) => Promise<FoundPage[]>) => Promise<void>,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'eval-models-'));
  const index = await createLocalIndex({ path: join(folder, 'index.db'), log: createLog('warn') });
  try {
    const pages = readManual(docs, manual);
    for (let at = 0; at < pages.length; at += BATCH) await index.put(pages.slice(at, at + BATCH));
    await work((query) => index.search({ ...NO_FILTERS, query: readQuery(query), limit: FOUND_MAX }));
  } finally {
    await index.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

const share = (hits: number, { length }: readonly unknown[]): string =>
  `${((100 * hits) / length).toFixed(1)} %`;

function readJson<Parsed>(name: string): Parsed {
  return JSON.parse(readFileSync(new URL(`../manuals/${name}`, import.meta.url), 'utf8'));
}
