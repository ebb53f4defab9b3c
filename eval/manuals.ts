/**
 * Answer quality on the pages that developers read: 80 questions in a user's own words over four manuals of Debian packages,
 * crawled into one index and asked over HTTP as a caller would, each within the manual that it is about (`--mixed`: over all four,
 * where another manual may answer rightly and still count as wrong). The questions were written before any page was looked at; an answer is right if
 * it matches a fixed pattern of manuals/judgements.json.
 *
 * What was given is also judged by eye (manuals/by-eye.jsonl), with the reason where that differs from the pattern.
 *
 *   npm run eval:manuals -- --docs <folder with python3.11/html, ...> [--kept <data folder>] [--misses] [--unread] [--mixed]
 *
 * `--kept` crawls into a folder that stays, so that the next run only asks. `--misses` shows what was given where it was wrong, `--unread`
 * what nobody has judged by eye, as lines for that file with the verdict of the pattern.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { MANUALS, type ManualName, startManuals } from '../bench/localweb/manuals.ts';
import { crawlWithCli, startServer } from '../bench/localweb/processes.ts';
import { ask, type Given } from './manuals/ask.ts';
import { judgeByEye, readVerdicts, type SeenByEye } from './manuals/by-eye.ts';
import { type Judged, judge, type Question } from './manuals/judge.ts';

const NAMES: ManualName[] = ['python3.11-doc', 'postgresql-doc-15', 'sqlite3-doc', 'python-django-doc'];
const PORT = 18_080;
const PAGES_MAX = 5_000;
const SHOWN_CHARS = 160;

const { values } = parseArgs({
  options: {
    docs: { type: 'string', default: '/usr/share/doc' },
    kept: { type: 'string' },
    misses: { type: 'boolean', default: false },
    unread: { type: 'boolean', default: false },
    mixed: { type: 'boolean', default: false },
  },
});
const web = await startManuals(values.docs, NAMES, PORT);
const dataDir = values.kept ?? mkdtempSync(join(tmpdir(), 'sanderling-manuals-'));
const settings = { ...web.settings, DATA_DIR: dataDir, PORT: '0', METERING: 'off' };
try {
  if (!existsSync(join(dataDir, 'index.db')))
    await crawlWithCli(
      web.origins.map((origin) => `${origin}/${origin.includes('sqlite') ? 'docs' : 'index'}.html`),
      PAGES_MAX,
      settings,
    );
  const server = await startServer(settings);
  try {
    await report(server.address);
  } finally {
    await server.stop();
  }
} finally {
  await web.close();
  if (values.kept === undefined) rmSync(dataDir, { recursive: true, force: true });
}

async function report(address: string): Promise<void> {
  const all: { question: Question; given: Given; judged: Judged }[] = [];
  for (const question of readQuestions()) {
    const given = await ask(address, question.question, values.mixed ? [] : [hostOf(question.manual)]);
    all.push({ question, given, judged: judge(question, given) });
  }
  console.log(
    'manual              questions  page 1st  in 3  highlight 1st  in 3  quoted  wrong of quoted  context  tokens (median)',
  );
  for (const name of [...NAMES, 'all'])
    print(
      name,
      all.filter(({ question }) => name === 'all' || question.manual === name).map(({ judged }) => judged),
    );
  printByEye(all);
  if (values.misses) for (const one of all) printMisses(one);
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
      share(({ pageFirst }) => pageFirst).padStart(9),
      share(({ pageInThree }) => pageInThree).padStart(5),
      share(({ highlightFirst }) => highlightFirst).padStart(14),
      share(({ highlightInThree }) => highlightInThree).padStart(5),
      share(({ quoted }) => quoted).padStart(7),
      `${quoted.filter(({ quoteRight }) => !quoteRight).length} of ${quoted.length}`.padStart(16),
      share(({ contextRight }) => contextRight).padStart(8),
      String(tokens[Math.floor(tokens.length / 2)] ?? 0).padStart(16),
    ].join(' '),
  );
}

function printByEye(all: { question: Question; given: Given; judged: Judged }[]): void {
  const verdicts = readVerdicts(resolve(import.meta.dirname, 'manuals/by-eye.jsonl'));
  const seen = all.flatMap(({ question: { id }, given, judged }) =>
    judgeByEye(id, given, { judged, verdicts }).map((one) => ({ id, ...one })),
  );
  const shareRight = (what: SeenByEye['what'], of: number): string => {
    const these = seen.filter((one) => one.what === what);
    const unread = these.filter(({ isRead }) => !isRead).length;
    const right = these.filter((one) => one.right).length;
    return `${what} ${((100 * right) / Math.max(1, of)).toFixed(0)} % of ${of} (${unread} unread)`;
  };
  const quoted = all.filter(({ judged }) => judged.quoted).length;
  console.log(
    `right by eye: ${shareRight('page', all.length)}, ${shareRight('highlight', all.length)}, ${shareRight('quotation', quoted)}`,
  );
  if (values.unread) for (const { isRead, ...one } of seen) if (!isRead) console.log(JSON.stringify(one));
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
  if (judged.pageFirst && judged.highlightFirst && (judged.quoteRight || !judged.quoted)) return;
  console.log(`\n${question.id} ${question.question}`);
  if (!judged.pageFirst)
    console.log(`  pages: ${given.pages.map(({ url }) => new URL(url).pathname).join(' ')}`);
  if (!judged.highlightFirst)
    console.log(
      `  highlight: ${show(given.pages[0]?.highlights[0] ?? '')}${judged.highlightInThree ? ' (a later one has it)' : ''}`,
    );
  if (judged.quoted && !judged.quoteRight) console.log(`  quoted: ${show(given.quote ?? '')}`);
}

function hostOf(manual: string): string {
  return MANUALS[manual as ManualName].host;
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
