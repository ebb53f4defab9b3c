import { plainBm25 } from '../eval/passages/baselines.ts';
import { type PassageSet, type Question, readPassageSets } from '../eval/passages/passage-sets.ts';
import type { Call } from '../src/http/calls/call.ts';
import { readJsonObject } from '../src/http/calls/wire.ts';
import { rerankHandler } from '../src/http/jina/rerank.ts';
import type { Rerank } from '../src/search/rerank.ts';
import { type RankedText, rankTexts } from '../src/text/passages/score-passages.ts';

/**
 * Reranks 500 documents of 150 characters, as chat applications cut pages: the built-in scorer and the whole call (its JSON read,
 * validated, ranked and written again) against plain BM25, all in one process. CPU ms per call, median and 95th percentile; how
 * often the answer is in the first 1, 5 and 10 documents. The folder of the sets comes from EVAL_DATA.
 */
const DOCUMENTS = 500;
const CHARS = 150;
const QUESTIONS = 200;
const SETS = ['squad2_dev_half', 'qed_train mixed', 'xquad de'];
/** Calls before the measured ones, until the code is compiled. */
const WARM = 40;

type Piece = { text: string; start: number; end: number };
type Document = { text: string; right: boolean };
type Row = { cpu: number[]; ranks: number[] };

const ranked: Rerank = async ({ query, documents }) => ({ ranked: rankTexts(query, documents), judged: 0 });
const call = rerankHandler(ranked);

console.log(
  `${'set'.padEnd(18)}${'engine'.padEnd(12)}${'CPU ms p50'.padEnd(12)}${'p95'.padEnd(8)}first 1 / 5 / 10`,
);
for (const set of readPassageSets(process.env.EVAL_DATA ?? '../shared/data'))
  if (SETS.includes(set.name)) await report(set);

async function report(set: PassageSet): Promise<void> {
  const pages = set.pages.map(({ markdown }) => piecesOf(markdown));
  const language = set.pages[0]?.language ?? 'en';
  const step = Math.max(1, Math.floor(set.questions.length / (QUESTIONS + WARM)));
  const rows: Record<string, Row> = {};
  for (const [at, question] of set.questions.filter((_, place) => place % step === 0).entries()) {
    const documents = documentsOf(pages, question);
    const texts = documents.map(({ text }) => text);
    const sent = requestOf(question.text, texts);
    const engines: Record<string, () => Promise<RankedText[]>> = {
      BM25: async () => plainRanking(question.text, texts, language),
      ours: async () => rankTexts(question.text, texts),
      'whole call': () => wholeCall(sent),
    };
    for (const [name, run] of Object.entries(engines)) {
      const since = process.threadCpuUsage();
      const order = await run();
      const { user, system } = process.threadCpuUsage(since);
      if (at < WARM) continue;
      rows[name] ??= { cpu: [], ranks: [] };
      rows[name].cpu.push((user + system) / 1_000);
      rows[name].ranks.push(order.findIndex(({ index }) => documents[index]?.right));
    }
  }
  for (const [name, row] of Object.entries(rows)) print(set.name, name, row);
}

function requestOf(query: string, documents: string[]): Uint8Array {
  return new TextEncoder().encode(JSON.stringify({ query, documents, top_n: 10, return_documents: true }));
}

/** The bytes of a request to the order that its answer, written and read as JSON, has. */
async function wholeCall(sent: Uint8Array): Promise<RankedText[]> {
  const body = readJsonObject(sent);
  // The handler reads nothing else of a call.
  const task = call({ body, requestId: 'bench', tenant: 'bench' } as unknown as Call);
  const { body: answer } = await task.work(new AbortController().signal, 5);
  const { results } = JSON.parse(JSON.stringify(answer));
  return results.map((result: { index: number; relevance_score: number }) => ({
    index: result.index,
    score: result.relevance_score,
  }));
}

/** The pieces of the question's page, filled up with those of the pages after it. */
function documentsOf(pages: Piece[][], { page, answers }: Question): Document[] {
  const own = (pages[page] ?? []).slice(0, DOCUMENTS).map(({ text, start, end }) => ({
    text,
    right: answers.some((answer) => answer.start >= start && answer.end <= end),
  }));
  for (let next = 1; own.length < DOCUMENTS && next < pages.length; next += 1)
    for (const { text } of (pages[(page + next) % pages.length] ?? []).slice(0, DOCUMENTS - own.length))
      own.push({ text, right: false });
  // Whatever keeps the order of what it does not find shall not gain by it.
  return own.toSorted((one, other) => one.text.localeCompare(other.text));
}

/** Cut at the last space before `CHARS`. */
function piecesOf(text: string): Piece[] {
  const pieces: Piece[] = [];
  for (let start = 0; start < text.length; ) {
    const space = text.lastIndexOf(' ', start + CHARS);
    const end = start + CHARS >= text.length ? text.length : space > start ? space : start + CHARS;
    pieces.push({ text: text.slice(start, end), start, end });
    start = end;
  }
  return pieces;
}

function plainRanking(query: string, texts: string[], language: string): RankedText[] {
  const chunks = texts.map((markdown) => ({ markdown, headingPath: [], start: 0, end: markdown.length }));
  return plainBm25(
    chunks,
    language,
  )(query)
    .map((score, index) => ({ index, score }))
    .sort((left, right) => right.score - left.score);
}

function print(set: string, name: string, { cpu, ranks }: Row): void {
  const sorted = cpu.toSorted((one, other) => one - other);
  const at = (share: number): string => (sorted[Math.floor(share * sorted.length)] ?? 0).toFixed(1);
  const shares = [1, 5, 10].map((first) =>
    ((100 * ranks.filter((rank) => rank !== -1 && rank < first).length) / ranks.length).toFixed(1),
  );
  console.log(
    `${set.padEnd(18)}${name.padEnd(12)}${at(0.5).padEnd(12)}${at(0.95).padEnd(8)}${shares.join(' / ')}`,
  );
}
