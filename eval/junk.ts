/**
 * Irrelevant results in small mixed indexes: 60 questions over 6 indexes of 10 pages each (5 on everyday subjects, 5 of manuals),
 * one index of 100 and one of 1,000 that hold the pages of the smaller ones. Questions and pages were written before any result was
 * looked at; a result is relevant if the question names its page as right, or junk/judgements.json says so and why.
 *
 *   npm run eval:junk -- --docs <folder with git-doc, python3.11, ...>[,<another>] [--unjudged] [--results]
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { createLocalIndex } from '../src/index/local-index.ts';
import type { FoundPage, IndexedPage, LocalIndex } from '../src/index/local-index-types.ts';
import { createLog } from '../src/platform/log.ts';
import { NO_FILTERS } from '../src/text/query/filters.ts';
import { readQuery } from '../src/text/query/read-query.ts';
import { everydayPage, fillerPages, manualPage } from './junk/pages.ts';

type Asked = { group: number; query: string; right: string[] };
/** `pages`: parts of addresses that are relevant too. */
type Judgement = { query: string; pages: string[]; why: string };

const SIZES = [10, 100, 1_000] as const;
const GROUPS = [1, 2, 3, 4, 5, 6];
const RESULTS_MAX = 10;

const { values } = parseArgs({
  options: {
    docs: { type: 'string', default: '/usr/share/doc' },
    unjudged: { type: 'boolean', default: false },
    results: { type: 'boolean', default: false },
  },
});
const folders = values.docs.split(',');
const read = (name: string) => JSON.parse(readFileSync(resolve(import.meta.dirname, 'junk', name), 'utf8'));
const asked: { documentation: Record<string, string[]>; queries: Asked[] } = read('queries.json');
const judgements: Judgement[] = read('judgements.json');
const everyday: { group: number; name: string; title: string; text: string }[] = read('pages.json');

const inFolder = (path: string): string => {
  const found = folders.map((folder) => join(folder, path)).find(existsSync);
  if (found === undefined) throw new Error(`no ${path} in ${values.docs}`);
  return found;
};
const groupPages = (group: number): IndexedPage[] => [
  ...everyday.filter((page) => page.group === group).map(everydayPage),
  ...(asked.documentation[group] ?? []).map((path) => manualPage(inFolder(path), path)),
];
const grouped = GROUPS.map(groupPages);
const filler = fillerPages(folders, new Set(grouped.flat().map(({ url }) => url)));

type Tally = {
  results: number;
  junk: number;
  wanted: number;
  found: number;
  first: number;
  answered: number;
};
const data = mkdtempSync(join(tmpdir(), 'eval-junk-'));
const firsts = new Map<string, string[]>();
try {
  console.log('pages  results  irrelevant  wanted  found  first  nothing given where nothing fits');
  for (const size of SIZES) {
    const tally: Tally = { results: 0, junk: 0, wanted: 0, found: 0, first: 0, answered: 0 };
    for (const { pages, queries } of indexesOf(size)) await ask(pages, { queries, size, tally });
    print(size, tally);
  }
  const changed = [...firsts].filter(([, tops]) => new Set(tops).size > 1);
  console.log(`another first result in a larger index: ${changed.length} of ${firsts.size}`);
  if (values.results) for (const [query, tops] of changed) console.log(`  ${query}: ${tops.join(' | ')}`);
} finally {
  rmSync(data, { recursive: true, force: true });
}

function indexesOf(size: (typeof SIZES)[number]): { pages: IndexedPage[]; queries: Asked[] }[] {
  const ofGroup = (group: number) => asked.queries.filter((one) => one.group === group);
  if (size === 10)
    return GROUPS.map((group, place) => ({ pages: grouped[place] ?? [], queries: ofGroup(group) }));
  return [{ pages: [...grouped.flat(), ...filler].slice(0, size), queries: asked.queries }];
}

async function ask(
  pages: IndexedPage[],
  { queries, size, tally }: { queries: Asked[]; size: number; tally: Tally },
): Promise<void> {
  const index = await createLocalIndex({
    path: join(data, `${size}-${queries[0]?.group}.db`),
    log: createLog('warn'),
  });
  await index.put(pages);
  for (const one of queries) count(one, await found(index, one.query), { size, tally });
  await index.close();
}

/** What a search over the local index alone returns. */
async function found(index: LocalIndex, query: string): Promise<FoundPage[]> {
  const results = await index.search({ ...NO_FILTERS, query: readQuery(query), limit: RESULTS_MAX });
  return results.filter(({ isRelevant }) => isRelevant);
}

function count(one: Asked, results: FoundPage[], { size, tally }: { size: number; tally: Tally }): void {
  const judged = judgements.find(({ query }) => query === one.query)?.pages ?? [];
  const isRelevant = ({ url }: FoundPage): boolean =>
    [...one.right, ...judged].some((part) => isPage(url, part));
  const junk = results.filter((result) => !isRelevant(result));
  const wantedFound = one.right.filter((part) => results.some(({ url }) => isPage(url, part)));
  tally.results += results.length;
  tally.junk += junk.length;
  tally.wanted += one.right.length;
  tally.found += wantedFound.length;
  tally.first += one.right.length > 0 && results[0] !== undefined && isRelevant(results[0]) ? 1 : 0;
  tally.answered += one.right.length === 0 && junk.length === 0 ? 1 : 0;
  if (one.right.length > 0) firsts.set(one.query, [...(firsts.get(one.query) ?? []), results[0]?.url ?? '-']);
  if (values.results) for (const each of results) show(one, each, isRelevant(each) ? '+' : '-');
  else if (values.unjudged) for (const each of junk) show(one, each, `${size}`);
}

/** Pages of a manual are at `https://<its folder>.example/`. */
function isPage(url: string, part: string): boolean {
  return url.replace('.example/', '/').includes(part);
}

function show({ query }: Asked, { url, score, title }: FoundPage, mark: string): void {
  console.log(`${mark.padStart(5)} ${score.toFixed(3)} ${query} | ${url} | ${title.slice(0, 50)}`);
}

function print(size: number, { results, junk, wanted, found, first, answered }: Tally): void {
  const share = results === 0 ? 0 : (100 * junk) / results;
  const nothing = asked.queries.filter(({ right }) => right.length === 0).length;
  console.log(
    [
      String(size).padStart(5),
      String(results).padStart(8),
      `${junk} (${share.toFixed(0)} %)`.padStart(11),
      String(wanted).padStart(7),
      String(found).padStart(6),
      String(first).padStart(6),
      `${answered} of ${nothing}`.padStart(12),
    ].join(' '),
  );
}
