import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { getDomain } from 'tldts';
import { runPeer } from '../eval/peers/run-peer.ts';
import { findDeclaredModifiedDate } from '../src/pages/extract/dates/declared-date.ts';
import { collectPageFacts } from '../src/pages/extract/metadata/page-facts.ts';
import { parseTree } from '../src/pages/extract/parse/build-tree.ts';
import { findPublishedDate } from '../src/pages/extract/published-date.ts';
import { readJsonLines } from './search/read-json-lines.ts';

/**
 * Measures how often the published day is right, by htmldate's rule: right day = TP, wrong day = FP, none = FN; a page without
 * a date counts as right if none is found. Beside it htmldate itself (EVAL_PYTHON). Sites are split into two halves:
 * rules were written with the mistakes of the seen half in view (`--mistakes` lists those), never with those of the unseen.
 */
type LabelledPage = {
  id: string;
  url: string | null;
  html: string;
  meta: { date?: string | null; published?: string | null };
};

const SETS: [name: string, file: string][] = [
  ['htmldate_mediacloud', 'htmldate_mediacloud/pages.jsonl.gz'],
  ['postlight_fixtures', 'postlight_fixtures/pages.jsonl.gz'],
  ['wcxb_dev', 'wcxb_dev/pages.jsonl.gz'],
];
const DATA = process.env.EVAL_DATA ?? '../shared/data';
const DAY_MS = 86_400_000;
const showMistakes = process.argv.includes('--mistakes');

console.log(
  'set                           pages  TP   FP   FN  rightNone  precision  recall  F      accuracy  msPerPage',
);
for (const [name, file] of SETS) {
  const path = join(DATA, file);
  if (existsSync(path)) measureHalves(name, readJsonLines(path));
  else console.log(`${name}: not found at ${path}; set EVAL_DATA`);
}

function measureHalves(name: string, pages: LabelledPage[]): void {
  measure(
    `${name}, seen`,
    pages.filter(({ url }) => isSeen(url)),
  );
  measure(
    `${name}, unseen`,
    pages.filter(({ url }) => !isSeen(url)),
  );
}

/** Half of the sites, by a hash of the domain. */
function isSeen(url: string | null): boolean {
  const site = getDomain(url ?? '') ?? url ?? '';
  return createHash('sha256').update(site).digest().readUInt8() % 2 === 0;
}

/** Whether a day is written anywhere in the source, in figures or with an English name of its month. */
function isWritten(day: string, html: string): boolean {
  const [year = '', month = '', date = ''] = day.split('-');
  const [m, d] = [Number(month), Number(date)];
  const name = new Date(day).toLocaleString('en', { month: 'short', timeZone: 'UTC' });
  const forms = [
    `${year}[-/.]?0?${m}[-/.]?0?${d}(?!\\d)`,
    `(?<!\\d)0?${d}[-/.]0?${m}[-/.](?:20)?${year.slice(2)}`,
    `(?<!\\d)0?${m}[-/.]0?${d}[-/.](?:20)?${year.slice(2)}`,
    `${name}[a-z]*\\.?\\s+0?${d}(?:st|nd|rd|th)?,?\\s+${year}`,
    `(?<!\\d)0?${d}(?:st|nd|rd|th)?[\\s-]+(?:of\\s+)?${name}[a-z]*[.,]?[\\s-]+${year}`,
  ];
  return forms.some((form) => new RegExp(form, 'i').test(html));
}

/** Whether a set's instant (UTC, on the whole hour) is the midnight that begins a day in some zone. */
function isDayOf(day: string, instant: string): boolean {
  if (!/T\d\d:00:00(?:\.0+)?Z$/.test(instant)) return false;
  const hours = (Date.parse(day) - Date.parse(instant)) / 3_600_000;
  return hours >= -12 && hours <= 14;
}

function measure(name: string, pages: LabelledPage[]): void {
  const count = { TP: 0, FP: 0, FN: 0, none: 0 };
  // A missing date in a set does not mean that the page has none.
  const dated = pages.filter(
    ({ meta }) => readWantedDay(meta) !== null || name.startsWith('htmldate_mediacloud'),
  );
  let [nextDay, changeDay, absent] = [0, 0, 0];
  let sameInstant = 0;
  const places = new Map<string, string>();
  let ms = 0;
  for (const { id, url, html, meta } of dated) {
    const wanted = readWantedDay(meta);
    const start = performance.now();
    const facts = collectPageFacts(parseTree(html));
    const found = findPublishedDate(facts, url ?? '');
    ms += performance.now() - start;
    const verdict = judge(found?.day ?? null, wanted);
    count[verdict] += 1;
    if (wanted !== null && verdict !== 'TP' && !isWritten(wanted, html)) absent += 1;
    if (verdict === 'FP' && found !== null && isDayOf(found.day, meta.date ?? '')) sameInstant += 1;
    if (verdict === 'FP' && wanted !== null && found !== null) {
      if (Math.abs(Date.parse(found.day) - Date.parse(wanted)) === DAY_MS) nextDay += 1;
      else if (findDeclaredModifiedDate(facts, 'month-first')?.day === wanted) changeDay += 1;
    }
    if (found !== null)
      places.set(found.from, `${places.get(found.from) ?? ''}${verdict === 'TP' ? '+' : '-'}`);
    if (showMistakes && name.endsWith(', seen') && (verdict === 'FP' || verdict === 'FN')) {
      console.log(
        `  ${verdict} ${id} ${url} wanted ${wanted} found ${found?.day ?? '-'} ${found?.from ?? ''}`,
      );
    }
  }
  print(name, count, (ms / dated.length).toFixed(1));
  console.log(
    `    of the wrong: ${nextDay} off by one day (${sameInstant} where the set gives the midnight of that day elsewhere as an instant in UTC), ${changeDay} where the set has the declared day of change`,
  );
  console.log(`    of the wrong and missing: ${absent} whose day is nowhere in the source`);
  for (const [place, verdicts] of places) {
    const right = verdicts.replaceAll('-', '').length;
    console.log(`    from ${place}: ${right} right, ${verdicts.length - right} wrong`);
  }
  const peer = runPeer<string | null>(
    'htmldate-days',
    dated.map(({ html, url }) => ({ html, url })),
  );
  if (peer === null) return;
  const peerCount = { TP: 0, FP: 0, FN: 0, none: 0 };
  for (const [at, { meta }] of dated.entries()) peerCount[judge(peer[at] ?? null, readWantedDay(meta))] += 1;
  print('  htmldate', peerCount, '');
}

function readWantedDay({ date }: LabelledPage['meta']): string | null {
  return /^\d{4}-\d\d-\d\d/.exec(date ?? '')?.[0] ?? null;
}

function judge(found: string | null, wanted: string | null): Verdict {
  if (found === null) return wanted === null ? 'none' : 'FN';
  return found === wanted ? 'TP' : 'FP';
}
type Verdict = 'TP' | 'FP' | 'FN' | 'none';

function print(name: string, { TP, FP, FN, none }: Record<Verdict, number>, msPerPage: string): void {
  const all = TP + FP + FN + none;
  const [precision, recall] = [TP / (TP + FP), TP / (TP + FN)];
  const figures = [precision, recall, (2 * precision * recall) / (precision + recall), (TP + none) / all];
  console.log(
    name.padEnd(28),
    [all, TP, FP, FN].map((value) => String(value).padStart(4)).join(' '),
    String(none).padStart(10),
    figures.map((value) => value.toFixed(3).padStart(9)).join(''),
    msPerPage.padStart(9),
  );
}
