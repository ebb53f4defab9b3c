/**
 * Relevance of what research quotes: 24 questions over four manuals of Debian packages (Python, PostgreSQL, SQLite, Django), three of
 * which nothing there answers, asked over HTTP with default settings. Each quotation was judged by eye: would a reader with this
 * question want it quoted? The questions were written before any result was looked at. Those of `seen` were read for faults; those of
 * `unseen` are only judged.
 *
 *   npm run eval:evidence -- --docs <folder with python3.11/html, ...> [--kept <data folder>] [--unread]
 *
 * `--kept` crawls into a folder that stays, so that the next run only asks. `--unread` prints the quotations that nobody has judged, as
 * lines for research/judgements.jsonl.
 */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { withManuals } from '../bench/localweb/manuals.ts';
import { startServer } from '../bench/localweb/processes.ts';
import { readJsonLines } from '../bench/search/read-json-lines.ts';
import { shownText } from './manuals/shown-text.ts';
import { post } from './ranking/served-index.ts';

type Question = { id: string; question: string; hasAnswer: boolean };
type Judgement = { id: string; url: string; quote: string; relevant: boolean };
type Quotation = { url: string; quote: string };
type Answer = { evidence: Quotation[]; unanswered?: string | null };
type Outcome = {
  question: Question;
  quotations: { url: string; quote: string; relevant: boolean | null }[];
  saysUnanswered: boolean;
};

const PORT = 18_093;
const EXCERPT_CHARS = 90;

const { values } = parseArgs({
  options: {
    docs: { type: 'string', default: '/usr/share/doc' },
    kept: { type: 'string' },
    unread: { type: 'boolean', default: false },
  },
});
const folder = resolve(import.meta.dirname, 'research');
const questions: Question[] = JSON.parse(readFileSync(join(folder, 'questions.json'), 'utf8'));
const judgements = readJsonLines<Judgement>(join(folder, 'judgements.jsonl'));

await withManuals({ docs: values.docs, kept: values.kept, port: PORT }, async (settings) => {
  const server = await startServer(settings);
  try {
    const outcomes: Outcome[] = [];
    for (const question of questions) {
      const answer = await post<Answer>(`${server.address}/v1/research`, { question: question.question });
      outcomes.push(judgeAnswer({ question, answer }));
    }
    report(outcomes);
  } finally {
    await server.stop();
  }
});

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
