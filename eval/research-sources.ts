/**
 * Measures the evidence of research on 50 questions with pages of their own (`sources/`), mixed with the paragraphs of two other
 * collections: 30 whose sources agree or differ in dates, numbers, names, versions and negations, and 20 that need three or four pages
 * in a row. Questions, pages and judgements were written before any answer was looked at; those with odd numbers may be looked at
 * for faults (`seen`), the others are only counted.
 *
 *   npm run eval:research-sources [-- --shown s01]
 */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { readCollection } from '../bench/known-item/text-collections.ts';
import { RESEARCH } from '../src/contract/limits.ts';
import type { IndexedPage } from '../src/index/local-index-types.ts';
import type { ResearchAnswer } from '../src/research/research.ts';
import { NO_FILTERS } from '../src/text/query/filters.ts';
import { researchOver } from './research/research-over.ts';

type Asked = {
  id: string;
  question: string;
  /** Patterns of the facts that the evidence must hold. */
  needs: string[];
  /** A quotation or its title that matches one of these is relevant to the question. */
  relevant: string[];
  /** Values that at least two sites state. */
  agree?: string[];
  /** Values of which at least two sites state different ones. */
  differ?: [string, string][];
};
type Judged = {
  quotes: number;
  relevance: number;
  needs: number;
  held: number;
  firstIsRelevant: boolean;
  foreign: number;
  tokens: number;
  agree: Counts;
  differ: Counts;
};
type Counts = { wanted: number; found: number; reported: number; right: number };

const { values } = parseArgs({ options: { shown: { type: 'string', multiple: true, default: [] } } });
const data = process.env.EVAL_DATA ?? '../shared/data';
const own = ['pages.txt', 'hop-pages.txt'].flatMap((name) => readPages(fileOf(name)));
const others = ['hotpotqa100', 'qed_train'].flatMap((name) => readCollection(join(data, name), 'beir').pages);
const over = await researchOver([...own, ...others]);
try {
  console.log(
    'questions                   quotations  relevant  first  all facts  facts  tokens  foreign  agreements (found, right)  disagreements (found, right)',
  );
  await measure('agree or differ', JSON.parse(fileOf('questions.json')));
  await measure('three, four hops', JSON.parse(fileOf('hop-questions.json')));
} finally {
  await over.close();
}

async function measure(name: string, all: Asked[]): Promise<void> {
  const parts = Map.groupBy(all, ({ id }) => (Number(id.slice(1)) % 2 === 1 ? 'seen' : 'unseen'));
  for (const [part, asked] of parts) {
    const judged: Judged[] = [];
    for (const one of asked) judged.push(judge(one, await answerTo(one.question)));
    print(`${name}, ${part}`, judged);
  }
}

function answerTo(question: string): Promise<ResearchAnswer> {
  const { searches, pages, seconds, tokens } = RESEARCH;
  return over.research({
    ...NO_FILTERS,
    question,
    signal: new AbortController().signal,
    maxSearches: searches.default,
    maxPages: pages.default,
    maxSeconds: seconds.max,
    maxTokens: tokens.default,
  });
}

function judge(asked: Asked, answer: ResearchAnswer): Judged {
  const { evidence, agreements, disagreements, tokens } = answer;
  const relevance = evidence.filter(({ title, quote }) => matchesOne(`${title}\n${quote}`, asked.relevant));
  const language = own.find(({ url }) => url === evidence[0]?.url)?.language ?? 'en';
  if (values.shown.includes(asked.id)) show(asked, answer, relevance);
  const agreed = agreements.map(({ value }) => value);
  const differing = disagreements.map((one) => one.values.map(({ value }) => value));
  const isRight = (stated: string[], [one, other]: [string, string]): boolean =>
    stated.some((value, place) =>
      stated.some((against, at) => at !== place && matchesOne(value, [one]) && matchesOne(against, [other])),
    );
  return {
    quotes: evidence.length,
    relevance: relevance.length,
    needs: asked.needs.length,
    held: asked.needs.filter((fact) => evidence.some(({ quote }) => matchesOne(quote, [fact]))).length,
    firstIsRelevant: relevance.includes(evidence[0] as never),
    foreign: evidence.filter((one) => one.language !== null && one.language !== language).length,
    tokens,
    agree: {
      wanted: asked.agree?.length ?? 0,
      found: (asked.agree ?? []).filter((value) => agreed.some((stated) => matchesOne(stated, [value])))
        .length,
      reported: agreed.length,
      right: agreed.filter((value) => matchesOne(value, [...(asked.agree ?? []), ...asked.needs])).length,
    },
    differ: {
      wanted: asked.differ?.length ?? 0,
      found: (asked.differ ?? []).filter((pair) => differing.some((stated) => isRight(stated, pair))).length,
      reported: differing.length,
      right: differing.filter((stated) => (asked.differ ?? []).some((pair) => isRight(stated, pair))).length,
    },
  };
}

function matchesOne(text: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) => new RegExp(pattern).test(text));
}

function print(name: string, judged: readonly Judged[]): void {
  const sum = (of: (one: Judged) => number): number => judged.reduce((total, one) => total + of(one), 0);
  const share = (part: number, whole: number): string => (whole === 0 ? '-' : (part / whole).toFixed(2));
  const counts = (of: (one: Judged) => Counts): string => {
    const [wanted, found] = [sum((one) => of(one).wanted), sum((one) => of(one).found)];
    const [reported, right] = [sum((one) => of(one).reported), sum((one) => of(one).right)];
    return `${found} of ${wanted}, ${right} of ${reported}`;
  };
  console.log(
    [
      name.padEnd(26),
      (sum(({ quotes }) => quotes) / judged.length).toFixed(1).padStart(11),
      share(
        sum(({ relevance }) => relevance),
        sum(({ quotes }) => quotes),
      ).padStart(8),
      share(
        sum(({ firstIsRelevant }) => Number(firstIsRelevant)),
        judged.length,
      ).padStart(6),
      share(
        sum(({ held, needs }) => Number(held === needs)),
        judged.length,
      ).padStart(10),
      share(
        sum(({ held }) => held),
        sum(({ needs }) => needs),
      ).padStart(6),
      (sum(({ tokens }) => tokens) / judged.length).toFixed(0).padStart(7),
      String(sum(({ foreign }) => foreign)).padStart(8),
      counts(({ agree }) => agree).padStart(26),
      counts(({ differ }) => differ).padStart(29),
    ].join(' '),
  );
}

function show({ id, question, needs }: Asked, answer: ResearchAnswer, relevance: readonly object[]): void {
  const { evidence, agreements, disagreements, facets, searches } = answer;
  console.log(`\n${id} ${question}`);
  for (const fact of needs)
    if (!evidence.some(({ quote }) => matchesOne(quote, [fact]))) console.log(`  missing: ${fact}`);
  for (const { kind, query } of facets) console.log(`  facet: ${kind}: ${query}`);
  for (const { query } of searches) console.log(`  search: ${query}`);
  for (const one of evidence)
    console.log(
      `  ${relevance.includes(one) ? '+' : '-'} ${one.score} ${one.title}: ${one.quote.slice(0, 110).replaceAll('\n', ' ')}`,
    );
  for (const one of agreements) console.log(`  agree: ${JSON.stringify(one)}`);
  for (const one of disagreements) console.log(`  differ: ${JSON.stringify(one)}`);
}

function fileOf(name: string): string {
  return readFileSync(resolve(import.meta.dirname, 'sources', name), 'utf8');
}

/** Blocks of `== address | title | language`, each followed by the page's text. */
function readPages(text: string): IndexedPage[] {
  return text
    .split(/^== /m)
    .slice(1)
    .map((block): IndexedPage => {
      const [head = '', ...lines] = block.split('\n');
      const [url = '', title = '', language = ''] = head.split(' | ');
      const markdown = lines.join('\n').trim();
      return {
        url,
        title,
        language,
        markdown,
        headings: [],
        publishedDay: null,
        site: null,
        author: null,
        rawChars: markdown.length,
        fetchedAt: 0,
      };
    });
}
