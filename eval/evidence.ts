/**
 * Relevance of what research quotes: 24 questions over four manuals of Debian packages (Python, PostgreSQL, SQLite, Django), three of
 * which nothing there answers, asked over HTTP with default settings. Each quotation was judged by eye: would a reader with this
 * question want it quoted? The questions were written before any result was looked at. Those of `seen` were read for faults; those of
 * `unseen` are only judged.
 *
 *   npm run eval:evidence -- --docs <folder with python3.11/html, ...> [--kept <data folder>] [--unread] [--links]
 *
 * `--kept` crawls into a folder that stays, so that the next run only asks. `--unread` prints the quotations that nobody has judged, as
 * lines for research/judgements.jsonl. `--links` opens the link of every quotation in Chromium and fails if one does not find its passage.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { MANUALS, type ManualName, startManuals } from '../bench/localweb/manuals.ts';
import { crawlWithCli, startServer } from '../bench/localweb/processes.ts';
import { openTab, startBrowser } from '../test/browser/chromium.ts';
import { followFragment, prepareTab } from '../test/browser/follow-fragment.ts';
import { shownText } from './manuals/shown-text.ts';
import { post } from './ranking/served-index.ts';

type Question = { id: string; question: string; hasAnswer: boolean };
type Judgement = { id: string; url: string; quote: string; relevant: boolean };
type Quotation = { url: string; quote: string; link: string };
type Answer = { evidence: Quotation[]; unanswered?: string | null };
type Outcome = {
  question: Question;
  quotations: { url: string; quote: string; relevant: boolean | null }[];
  saysUnanswered: boolean;
};

const NAMES = Object.keys(MANUALS) as ManualName[];
const PORT = 18_093;
const PAGES_MAX = 5_000;
const EXCERPT_CHARS = 90;

const { values } = parseArgs({
  options: {
    docs: { type: 'string', default: '/usr/share/doc' },
    kept: { type: 'string' },
    unread: { type: 'boolean', default: false },
    links: { type: 'boolean', default: false },
  },
});
const read = (name: string): string => readFileSync(resolve(import.meta.dirname, 'research', name), 'utf8');
const questions: Question[] = JSON.parse(read('questions.json'));
const judgements = read('judgements.jsonl')
  .split('\n')
  .filter((line) => line !== '')
  .map((line): Judgement => JSON.parse(line));

const web = await startManuals(values.docs, NAMES, PORT);
const dataDir = values.kept ?? mkdtempSync(join(tmpdir(), 'sanderling-evidence-'));
const settings = { ...web.settings, DATA_DIR: dataDir };
try {
  if (!existsSync(join(dataDir, 'index.db')))
    await crawlWithCli(
      web.origins.map((origin) => `${origin}/${origin.includes('sqlite') ? 'docs' : 'index'}.html`),
      PAGES_MAX,
      settings,
    );
  const server = await startServer({ ...settings, PORT: '0', METERING: 'off' });
  try {
    const answers: { question: Question; answer: Answer }[] = [];
    for (const question of questions) {
      const answer = await post<Answer>(`${server.address}/v1/research`, { question: question.question });
      answers.push({ question, answer });
    }
    report(answers.map(judgeAnswer));
    if (values.links) await followLinks(answers.flatMap(({ answer }) => answer.evidence));
  } finally {
    await server.stop();
  }
} finally {
  await web.close();
  if (values.kept === undefined) rmSync(dataDir, { recursive: true, force: true });
}

function judgeAnswer({ question, answer }: { question: Question; answer: Answer }): Outcome {
  const own = judgements.filter(({ id }) => id === question.id);
  const quotations = answer.evidence.map(({ url, quote }) => {
    const given = { url: shortenUrl(url), quote: excerptQuote(quote) };
    const known = own.find((one) => one.url === given.url && one.quote === given.quote);
    return { ...given, relevant: known?.relevant ?? null };
  });
  return { question, quotations, saysUnanswered: typeof answer.unanswered === 'string' };
}

/** Shortens a URL to its manual and path. */
function shortenUrl(url: string): string {
  const { hostname, pathname } = new URL(url);
  return `${hostname.split('.')[0]}${pathname}`;
}

function excerptQuote(quote: string): string {
  return shownText(quote).trim().slice(0, EXCERPT_CHARS);
}

function report(outcomes: readonly Outcome[]): void {
  console.log(
    'part     questions  quotations  judged  relevant  of the first  with a relevant one  said unanswerable',
  );
  for (const part of ['seen', 'unseen', 'all'])
    printPart(
      part,
      outcomes.filter(({ question: { id } }) => part === 'all' || id.startsWith(part.slice(0, 1))),
    );
  for (const { question, quotations } of outcomes) {
    const relevant = quotations.filter((one) => one.relevant === true).length;
    console.log(`${question.id.padEnd(4)} ${relevant} of ${quotations.length}: ${question.question}`);
    if (!values.unread) continue;
    for (const { relevant: verdict, ...one } of quotations)
      if (verdict === null) console.log(JSON.stringify({ id: question.id, ...one, relevant: null }));
  }
}

function printPart(part: string, outcomes: readonly Outcome[]): void {
  const all = outcomes.flatMap(({ quotations }) => quotations);
  const judged = all.filter(({ relevant }) => relevant !== null);
  const share = (list: { relevant: boolean | null }[]): string =>
    `${((100 * list.filter(({ relevant }) => relevant === true).length) / Math.max(1, list.length)).toFixed(0)} %`;
  const answered = outcomes.filter(({ question }) => question.hasAnswer);
  const firsts = answered.flatMap(({ quotations }) => quotations.slice(0, 1));
  const helped = answered.filter(({ quotations }) => quotations.some(({ relevant }) => relevant === true));
  const unanswerable = outcomes.filter(({ question }) => !question.hasAnswer);
  const said = unanswerable.filter(({ saysUnanswered }) => saysUnanswered).length;
  const falsely = answered.filter(({ saysUnanswered }) => saysUnanswered).length;
  console.log(
    [
      part.padEnd(8),
      String(outcomes.length).padStart(9),
      String(all.length).padStart(11),
      String(judged.length).padStart(7),
      share(judged).padStart(9),
      share(firsts).padStart(13),
      `${helped.length} of ${answered.length}`.padStart(20),
      `${said} of ${unanswerable.length}, ${falsely} falsely`.padStart(18),
    ].join(' '),
  );
}

async function followLinks(quotations: readonly Quotation[]): Promise<void> {
  const rules = NAMES.map((name) => `MAP ${MANUALS[name].host} ${MANUALS[name].address}`).join(', ');
  const browser = await startBrowser([`--host-resolver-rules=${rules}`]);
  try {
    const { page } = await openTab(browser);
    await prepareTab(page);
    const missed: string[] = [];
    for (const { link, quote } of quotations)
      if (!(await followFragment(page, { link, quotation: quote }))) missed.push(link);
    console.log(
      `links that find their passage: ${quotations.length - missed.length} of ${quotations.length}`,
    );
    for (const link of missed) console.log(`  ${link}`);
    if (missed.length > 0) process.exitCode = 1;
  } finally {
    await browser.close();
  }
}
