import type { Query } from './queries.ts';

/** What a query found, best first, and the rank of the first page that answers it. */
export type Finding = { query: Query; found: string[]; rank: number | null };
/** Shares from 0 to 1, means over the queries; `ms` is the median time of a query. */
export type Measured = {
  mrr: number;
  success1: number;
  success5: number;
  ndcg: number;
  ms: number;
  findings: Finding[];
};

const RANKS = 10;

export async function measure(
  queries: Query[],
  find: (query: string) => Promise<string[]>,
): Promise<Measured> {
  const findings: Finding[] = [];
  const times: number[] = [];
  for (const query of queries) {
    const start = performance.now();
    const found = await find(query.text);
    times.push(performance.now() - start);
    const place = found.findIndex((url) => query.relevant.has(url));
    findings.push({ query, found, rank: place === -1 ? null : place + 1 });
  }
  const share = (value: (finding: Finding) => number): number =>
    findings.reduce((sum, finding) => sum + value(finding), 0) / Math.max(1, findings.length);
  return {
    mrr: share(({ rank }) => (rank === null ? 0 : 1 / rank)),
    success1: share(({ rank }) => (rank === 1 ? 1 : 0)),
    success5: share(({ rank }) => (rank !== null && rank <= 5 ? 1 : 0)),
    ndcg: share(({ query, found }) => ndcgOf(found, query.relevant)),
    ms: times.sort((left, right) => left - right)[Math.floor(times.length / 2)] ?? 0,
    findings,
  };
}

/** nDCG@10 with linear gains (Jarvelin and Kekalainen 2002, as trec_eval computes it). */
function ndcgOf(found: string[], relevant: Map<string, number>): number {
  const gain = (grades: number[]): number =>
    grades.slice(0, RANKS).reduce((sum, grade, index) => sum + grade / Math.log2(index + 2), 0);
  const ideal = gain([...relevant.values()].sort((left, right) => right - left));
  return ideal === 0 ? 0 : gain(found.map((url) => relevant.get(url) ?? 0)) / ideal;
}
