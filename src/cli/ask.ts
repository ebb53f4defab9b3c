import { styleText } from 'node:util';
import * as z from 'zod';
import { createServices } from '../app/compose-services.ts';
import type { Config } from '../app/config.ts';
import { QUERY_CHARS_MAX } from '../contract/limits.ts';
import { createDeadlineSignal } from '../platform/clock.ts';
import { createGuardedFetch } from '../platform/net/guarded-fetch.ts';
import { ANSWER_PAGES } from '../search/quote-from-results.ts';
import { NO_FILTERS } from '../text/query/filters.ts';

/** A quoted answer, or null, and the pages that were read for it, the quoted one first. */
type AnswerReport = {
  answer: { text: string; link: string; headingPath: string[] } | null;
  pages: { title: string; url: string }[];
};

/** Time limit of an answer; as long as a user at a terminal will wait. */
const ANSWER_MS = 20_000;
const RESPONSE_BYTES_MAX = 1_048_576;

/** `sanderling ask`: prints the passage that answers a question, with its source. Resolves to the exit code, 0 if there is one. */
export async function runAsk(
  config: Config,
  question: string,
  { url, key }: { url?: string; key?: string | undefined },
): Promise<number> {
  if (question.length > QUERY_CHARS_MAX) {
    process.stderr.write(`The question is too long: at most ${QUERY_CHARS_MAX} characters.\n`);
    return 1;
  }
  const report =
    url === undefined ? await askHere(config, question) : await askServer(config, question, { url, key });
  process.stdout.write(formatReport(report));
  return report.answer === null ? 1 : 0;
}

async function askHere(config: Config, question: string): Promise<AnswerReport> {
  const services = await createServices(config);
  try {
    const { answer, results } = await services.operations.search({
      query: question,
      numResults: ANSWER_PAGES,
      ...NO_FILTERS,
      contents: null,
      answer: true,
      signal: createDeadlineSignal(ANSWER_MS),
    });
    const quoted = results.filter((result) => result.url === answer?.url);
    const others = results.filter((result) => result.url !== answer?.url);
    return { answer: answer ?? null, pages: [...quoted, ...others] };
  } finally {
    await services.close();
  }
}

/** The fields of the response of POST /v1/answer that the command prints. */
const AnswerResponse = z.object({
  answer: z.string().nullable(),
  citations: z.array(
    z.object({
      url: z.string(),
      title: z.string(),
      proof: z.object({ link: z.string(), headingPath: z.array(z.string()) }).optional(),
    }),
  ),
});

/** The server is the user's choice, so it may be private. */
async function askServer(
  { dnsServers, egress }: Config,
  question: string,
  { url, key }: { url: string; key: string | undefined },
): Promise<AnswerReport> {
  const network = createGuardedFetch({ allowPrivate: ['0.0.0.0/0', '::/0'], dnsServers, egress });
  try {
    const { status, body } = await network.fetch({
      url: `${url.replace(/(?<!\/)\/+$/, '')}/v1/answer`,
      headers: { 'content-type': 'application/json' },
      ownHeaders: key === undefined ? {} : { 'x-api-key': key },
      body: JSON.stringify({ query: question }),
      timeoutMs: ANSWER_MS,
      bytesMax: RESPONSE_BYTES_MAX,
    });
    const text = Buffer.from(body).toString();
    if (status !== 200) throw new Error(`${url} answered ${status}: ${text.slice(0, 500)}`);
    const { answer, citations } = AnswerResponse.parse(JSON.parse(text));
    const proof = citations[0]?.proof;
    const quoted = answer === null || proof === undefined ? null : { text: answer, ...proof };
    return { answer: quoted, pages: citations };
  } finally {
    await network.close();
  }
}

/** Formats the quotation with its headings and link, then the pages. */
function formatReport({ answer, pages }: AnswerReport): string {
  const quoted =
    answer === null
      ? [pages.length === 0 ? 'Nothing was found.' : 'No passage of these pages answers the question.']
      : [
          answer.text,
          '',
          ...(answer.headingPath.length === 0
            ? []
            : [styleText('dim', `— ${answer.headingPath.join(' › ')}`)]),
          styleText('cyan', answer.link),
        ];
  const list = pages.map(({ title, url }, place) => `${place + 1}. ${title}\n   ${styleText('cyan', url)}`);
  return `${[...quoted, ...(list.length === 0 ? [] : ['', ...list])].join('\n')}\n`;
}
