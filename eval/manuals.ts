/**
 * Answer quality on the pages that developers read: 80 questions in a user's own words over four manuals of Debian packages,
 * crawled into one index and asked over HTTP as a caller would, each within the manual that it is about. The questions were written before any page was looked at; an answer is right if
 * it matches a fixed pattern of manuals/judgements.json.
 *
 * The pages are also asked of the index inside this process; the run fails if what is served differs by more than a point.
 * What was given is also judged by eye (manuals/by-eye.jsonl), with the reason where that differs from the pattern.
 *
 *   npm run eval:manuals -- --docs <folder with python3.11/html, ...> [--kept <data folder>] [--misses] [--unread]
 *
 * `--kept` crawls into a folder that stays, so that the next run only asks. `--misses` shows what was given where it was wrong, `--unread`
 * what nobody has judged by eye, as lines for that file with the verdict of the pattern.
 */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { MANUALS, withManuals } from '../bench/localweb/manuals.ts';
import { readJsonLines } from '../bench/search/read-json-lines.ts';
import { ask, type Given } from './manuals/ask.ts';
import { type ByEye, judgeByEye, sumUp, type Verdict } from './manuals/by-eye.ts';
import { type Judged, judge, type Question } from './manuals/judge.ts';
import { compareShares, type ServedIndex, serveIndex } from './ranking/served-index.ts';

const PORT = 18_080;
const SHOWN_CHARS = 160;

const { values } = parseArgs({
  options: {
    docs: { type: 'string', default: '/usr/share/doc' },
    kept: { type: 'string' },
    misses: { type: 'boolean', default: false },
    unread: { type: 'boolean', default: false },
  },
});
await withManuals({ docs: values.docs, kept: values.kept, port: PORT }, async (settings) => {
  const served = await serveIndex(settings.DATA_DIR, settings);
  try {
    await report(served);
  } finally {
    await served.close();
  }
});

async function report(served: ServedIndex): Promise<void> {
  const all: { question: Question; given: Given; judged: Judged }[] = [];
  const inside: boolean[][] = [];
  for (const question of readQuestions()) {
    const domains = [hostOf(question.manual)];
    const given = await ask(served.address, question.question, domains);
    all.push({ question, given, judged: judge(question, given) });
    const found = await served.searchInside(question.question, domains);
    const pages = found.map(({ url }) => ({ url, highlights: [], prunedContext: '' }));
    inside.push(judge(question, { pages, quote: null }).pages);
  }
  console.log(
    'manual              questions  page 1st  in 3  highlight 1st  in 3  quoted  wrong of quoted  context  tokens (median)',
  );
  for (const name of [...Object.keys(MANUALS), 'all'])
    print(
      name,
      all.filter(({ question }) => name === 'all' || question.manual === name).map(({ judged }) => judged),
    );
  compareWithInside(
    all.map(({ judged }) => judged.pages),
    inside,
  );
  printByEye(all);
  if (values.misses) for (const one of all) printMisses(one);
}

/** The pages that were served against those of the index: which of them are right, the best first. */
function compareWithInside(served: boolean[][], inside: boolean[][]): void {
  for (const ranks of [1, 3]) {
    const share = (pages: boolean[][]): number =>
      pages.filter((right) => right.slice(0, ranks).includes(true)).length / pages.length;
    const [given, within] = [share(served), share(inside)];
    console.log(
      `right page in the first ${ranks}: ${(100 * given).toFixed(1)} % as served, ${(100 * within).toFixed(1)} % inside`,
    );
    compareShares(`right page in the first ${ranks}`, { served: given, inside: within });
  }
}

function print(name: string, all: Judged[]): void {
  const share = (holds: (one: Judged) => boolean) =>
    `${((100 * all.filter(holds).length) / all.length).toFixed(0)} %`;
  const quoted = all.filter(({ quoted }) => quoted);
  const tokens = all.map(({ contextTokens }) => contextTokens).sort((a, b) => a - b);
  console.log(
    [
      name.padEnd(19),
      String(all.length).padStart(9),
      share(({ pages }) => pages[0] === true).padStart(9),
      share(({ pages }) => pages.includes(true)).padStart(5),
      share(({ highlights }) => highlights[0] === true).padStart(14),
      share(({ highlights }) => highlights.includes(true)).padStart(5),
      share(({ quoted }) => quoted).padStart(7),
      `${quoted.filter(({ quoteRight }) => !quoteRight).length} of ${quoted.length}`.padStart(16),
      share(({ contextRight }) => contextRight).padStart(8),
      String(tokens[Math.floor(tokens.length / 2)] ?? 0).padStart(16),
    ].join(' '),
  );
}

function printByEye(all: { question: Question; given: Given; judged: Judged }[]): void {
  const verdicts = readJsonLines<Verdict>(resolve(import.meta.dirname, 'manuals/by-eye.jsonl'));
  const seen = all.map(({ question: { id }, given, judged }) => ({
    id,
    parts: judgeByEye(id, given, { judged, verdicts }),
  }));
  const print = (name: string, summed: { right: boolean; isRead: boolean }[]): string => {
    const share = (100 * summed.filter(({ right }) => right).length) / Math.max(1, summed.length);
    const unread = summed.filter(({ isRead }) => !isRead).length;
    return `${name} ${share.toFixed(0)} % of ${summed.length}${unread === 0 ? '' : ` (${unread} unread)`}`;
  };
  const summed = seen.map(({ parts }) => sumUp(parts));
  const column = (name: string, of: keyof ByEye): string =>
    print(
      name,
      summed.map((one) => one[of]),
    );
  const quotations = seen.flatMap(({ parts }) => parts.filter(({ what }) => what === 'quotation'));
  const columns = [
    ...[column('page 1st', 'pageFirst'), column('in 3', 'pageInThree')],
    ...[column('highlight 1st', 'highlightFirst'), column('in 3', 'highlightInThree')],
    ...[column('context', 'context'), print('quotation', quotations)],
  ];
  console.log(`right by eye: ${columns.join(', ')}`);
  if (!values.unread) return;
  for (const { id, parts } of seen)
    for (const { isRead, place, ...one } of parts) if (!isRead) console.log(JSON.stringify({ id, ...one }));
}

function printMisses({
  question,
  given,
  judged,
}: {
  question: Question;
  given: Given;
  judged: Judged;
}): void {
  const show = (text: string) => JSON.stringify(text.slice(0, SHOWN_CHARS));
  const [isPageRight, isHighlightRight] = [judged.pages[0] === true, judged.highlights[0] === true];
  if (isPageRight && isHighlightRight && (judged.quoteRight || !judged.quoted)) return;
  console.log(`\n${question.id} ${question.question}`);
  if (!isPageRight) console.log(`  pages: ${given.pages.map(({ url }) => new URL(url).pathname).join(' ')}`);
  if (!isHighlightRight)
    console.log(
      `  highlight: ${show(given.pages[0]?.highlights[0] ?? '')}${judged.highlights.includes(true) ? ' (a later one has it)' : ''}`,
    );
  if (judged.quoted && !judged.quoteRight) console.log(`  quoted: ${show(given.quote ?? '')}`);
}

function hostOf(manual: string): string {
  return MANUALS[manual as keyof typeof MANUALS].host;
}

function readQuestions(): Question[] {
  const read = (name: string) =>
    JSON.parse(readFileSync(resolve(import.meta.dirname, 'manuals', name), 'utf8'));
  const asked: { id: string; manual: string; question: string }[] = read('questions.json');
  const judgements = new Map(
    (read('judgements.json') as { id: string; pages: string[]; answers: string[] }[]).map((one) => [
      one.id,
      one,
    ]),
  );
  return asked.map((one) => {
    const judgement = judgements.get(one.id);
    if (judgement === undefined) throw new Error(`judgements.json has nothing for ${one.id}`);
    return { ...one, pages: judgement.pages, answers: judgement.answers.map((each) => new RegExp(each)) };
  });
}
