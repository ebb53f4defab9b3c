/**
 * Quality of the quoted answer, against the best paragraph by BM25 with a plain threshold at which it
 * answers as many of the answerable questions: npm run eval:answer [-- --every=24].
 * Right: the quotation contains an answer at its place. The weights in use were fitted on every third question, and with
 * a step that is a multiple of three none of those is asked; npm run train:answer prints the figures of weights that have not
 * seen the articles either. A hundred questions of each set are also asked over HTTP (`--served=0` for none), and the run
 * fails if answers given, or right ones, differ by more than a point.
 */

import type { AnswerPage } from '../src/text/answer/candidates.ts';
import { findBestQuotation, SCORE_MIN } from '../src/text/answer/quote-answer.ts';
import {
  type AnswerCase,
  type CaseSet,
  isRight,
  qedSets,
  squadSets,
  XQUAD_EVERY,
  XQUAD_LANGUAGES,
} from './answer/answer-cases.ts';
import { openParagraphs, type Paragraphs } from './answer/paragraphs.ts';
import { askServed } from './answer/served-answers.ts';
import { recordClaim } from './evaluated-claims.ts';
import { compareShares } from './ranking/served-index.ts';

const BETWEEN = '\n\n';

type Tried = { score: number; isRight: boolean; isVerbatim: boolean; chars: number } | null;
type Way = { name: string; quote(one: AnswerCase): Tried };

const data = process.env.EVAL_DATA ?? '../shared/data';
const every = readNumber('every', 1);
const servedMax = readNumber('served', 100);
const ways: Way[] = [
  { name: 'quoted answer', quote: quotedAnswer },
  { name: 'best BM25 paragraph', quote: bestParagraph() },
];

console.log(
  `${'set'.padEnd(34)} ${'questions'}  ${'way'.padEnd(24)}  given    right of given  verbatim  characters`,
);
await report(squadSets(data), every);
await report(qedSets(data), every);
for (const language of XQUAD_LANGUAGES) await report(squadSets(data, 'xquad', language), XQUAD_EVERY * every);

function readNumber(option: string, otherwise: number): number {
  return Number(
    process.argv.find((each) => each.startsWith(`--${option}=`))?.slice(option.length + 3) ?? otherwise,
  );
}

/** The thresholds of the baselines come from the first set that can be answered. */
async function report(sets: CaseSet[], step: number): Promise<void> {
  const least = new Map<string, number>();
  for (const { name, kind, cases } of sets) {
    const asked = cases.filter((_, place) => place % step === step - 1);
    if (asked.length === 0) continue;
    const tried = ways.map((way) => ({ way, all: asked.map(way.quote) }));
    const share = shareGiven(tried[0]?.all ?? [], SCORE_MIN);
    for (const { way, all } of tried) {
      if (way === ways[0]) least.set(way.name, SCORE_MIN);
      else if (!least.has(way.name)) least.set(way.name, thresholdFor(all, share));
      console.log(
        `${`${name}, ${kind}`.padEnd(34)} ${String(asked.length).padStart(9)}  ${lineOf(way, all, least.get(way.name) ?? 0)}`,
      );
    }
    if (kind === 'answerable')
      recordClaim({
        claim: 'answered right',
        set: name,
        fitted: 'weights',
        baseline: 'BM25 paragraph',
        rows: asked.map((_, place) => {
          const [ours = 0, baseline = 0] = tried.map(({ way, all }) =>
            Number(isGivenRight(all[place] ?? null, least.get(way.name) ?? 0)),
          );
          return { ours, baseline };
        }),
      });
    if (servedMax > 0) await compareServed(`${name}, ${kind}`, asked);
  }
}

function isGivenRight(one: Tried, least: number): boolean {
  return one !== null && one.score >= least && one.isRight;
}

/** Asks some questions over HTTP and inside. */
async function compareServed(name: string, cases: AnswerCase[]): Promise<void> {
  const step = Math.max(1, cases.length / servedMax);
  const taken = cases.filter((_, place) => Math.floor(place % step) === 0);
  const served = await askServed(taken);
  const inside = taken.map(({ query, pages }) => {
    const quoted = findBestQuotation(query, pages);
    return quoted !== null && quoted.score >= SCORE_MIN ? quoted.text : null;
  });
  const share = (
    quotations: (string | null)[],
    fits: (quotation: string, one: AnswerCase) => boolean,
  ): number =>
    quotations.filter((quotation, place) => {
      const one = taken[place];
      return quotation !== null && one !== undefined && fits(quotation, one);
    }).length / taken.length;
  const given = { served: share(served, () => true), inside: share(inside, () => true) };
  const right = { served: share(served, holdsGold), inside: share(inside, holdsGold) };
  console.log(
    `${'  over HTTP'.padEnd(34)} ${String(taken.length).padStart(9)}  ${'quoted answer'.padEnd(24)}  ${percent(given.served)}  ${percent(right.served / Math.max(given.served, 1 / taken.length)).padStart(14)}`,
  );
  compareShares(`${name}, given`, given);
  compareShares(`${name}, right of all`, right);
}

function holdsGold(quotation: string, { golds, pages }: AnswerCase): boolean {
  return golds.some(({ url, start, end }) =>
    quotation.includes(pages.find((page) => page.url === url)?.markdown.slice(start, end) ?? '\0'),
  );
}

function lineOf(way: Way, all: Tried[], least: number): string {
  const given = all.filter((one) => one !== null && one.score >= least);
  const count = (fits: (one: Tried) => boolean | undefined): string =>
    given.length === 0 ? '      -' : percent(given.filter(fits).length / given.length);
  const right = count((one) => one?.isRight);
  const verbatim = count((one) => one?.isVerbatim);
  const chars = given.reduce((sum, one) => sum + (one?.chars ?? 0), 0) / Math.max(1, given.length);
  return `${way.name.padEnd(24)}  ${percent(given.length / all.length)}  ${right.padStart(14)}  ${verbatim}  ${chars.toFixed(0).padStart(10)}`;
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1).padStart(5)} %`;
}

function shareGiven(all: Tried[], least: number): number {
  return all.filter((one) => one !== null && one.score >= least).length / all.length;
}

/** The threshold at which this share of the questions gets an answer. */
function thresholdFor(all: Tried[], share: number): number {
  const scores = all.map((one) => one?.score ?? Number.NEGATIVE_INFINITY).sort((left, right) => right - left);
  return scores[Math.max(0, Math.round(share * all.length) - 1)] ?? 0;
}

function quotedAnswer(one: AnswerCase): Tried {
  const quoted = findBestQuotation(one.query, one.pages);
  if (quoted === null) return null;
  const page = one.pages.find(({ url }) => url === quoted.url);
  const isVerbatim = page?.markdown.slice(quoted.start, quoted.end) === quoted.text;
  return { score: quoted.score, isRight: isRight(one, quoted), isVerbatim, chars: quoted.text.length };
}

function bestParagraph(): Way['quote'] {
  const indexes = new Map<string, ReturnType<typeof indexOf>>();
  return (one) => {
    const key = one.pages.map(({ url }) => url).join(' ');
    const { index, paragraphs } = indexes.get(key) ?? indexOf(one.pages);
    if (!indexes.has(key)) indexes.set(key, { index, paragraphs });
    const [best] = index.best(one.query, 1);
    const paragraph = best === undefined ? undefined : paragraphs[best.place];
    if (best === undefined || paragraph === undefined) return null;
    return {
      score: best.score,
      isRight: isRight(one, paragraph),
      isVerbatim: true,
      chars: paragraph.end - paragraph.start,
    };
  };
}

type Paragraph = { url: string; start: number; end: number };

function indexOf(pages: AnswerPage[]): { index: Paragraphs; paragraphs: Paragraph[] } {
  const texts: string[] = [];
  const paragraphs: Paragraph[] = [];
  for (const { url, markdown } of pages) {
    let start = 0;
    for (const text of markdown.split(BETWEEN)) {
      texts.push(text);
      paragraphs.push({ url, start, end: start + text.length });
      start += text.length + BETWEEN.length;
    }
  }
  return { index: openParagraphs(texts, pages[0]?.language ?? null), paragraphs };
}
