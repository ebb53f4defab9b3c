/** `sanderling records`: replays, compares, exports and imports the records of a running server, over its API. */
import { readFile, writeFile } from 'node:fs/promises';
import { styleText } from 'node:util';
import * as z from 'zod';
import type { Config } from '../../app/config.ts';
import { type ApiServer, callServer, fetchFromServer } from '../call-server.ts';

const Citation = z.looseObject({ url: z.string(), quote: z.string().nullable() });
const RecordResponse = z.looseObject({
  id: z.string(),
  operation: z.string(),
  title: z.string(),
  madeAt: z.string(),
  forgottenPages: z.number(),
  pages: z.array(
    z.looseObject({
      url: z.string(),
      kept: z.boolean(),
      since: z.looseObject({ state: z.string(), seenAt: z.string().nullable() }),
    }),
  ),
  citations: z.array(Citation.extend({ verified: z.boolean(), standsNow: z.boolean().nullable() })),
});
type RecordResponse = z.output<typeof RecordResponse>;
const RecordAnswer = z.looseObject({ record: RecordResponse });

/** Each resolves to the exit code, 0 if the server did what was asked and every citation is verified. */
export async function listRecords(config: Config, server: ApiServer): Promise<number> {
  const { records } = await callServer(config, server, {
    path: '/v1/records',
    answer: z.looseObject({
      records: z.array(RecordResponse.omit({ citations: true }).extend({ pages: z.number() })),
    }),
  });
  const lines = records.map(
    ({ pages, ...record }) => `${formatHead(record)}  ${styleText('dim', countOf(pages, 'page'))}`,
  );
  print(lines.length === 0 ? 'Nothing is recorded: add "record": true to a call.' : lines.join('\n'));
  return 0;
}

export async function showRecord(
  config: Config,
  server: ApiServer,
  { id, json }: { id: string; json: boolean },
): Promise<number> {
  const { record } = await callServer(config, server, { path: buildPath(id), answer: RecordAnswer });
  print(json ? JSON.stringify(record, null, 2) : formatRecord(record));
  return computeExitCode(record);
}

export async function exportRecord(
  config: Config,
  server: ApiServer,
  { id, file }: { id: string; file: string },
): Promise<number> {
  const bytes = await fetchFromServer(config, server, { path: `${buildPath(id)}/export` });
  await writeFile(file, bytes, { flag: 'wx' });
  print(`Wrote ${file} (${bytes.length} bytes)`);
  return 0;
}

export async function importRecord(config: Config, server: ApiServer, file: string): Promise<number> {
  const { record } = await callServer(config, server, {
    path: '/v1/records/import',
    body: await readFile(file),
    answer: RecordAnswer,
  });
  print(formatRecord(record));
  return computeExitCode(record);
}

export async function rerunRecord(config: Config, server: ApiServer, id: string): Promise<number> {
  const compared = await callServer(config, server, {
    path: `${buildPath(id)}/rerun`,
    body: {},
    answer: z.looseObject({
      recordId: z.string(),
      changed: z.boolean(),
      results: z.looseObject({ added: z.array(z.string()), removed: z.array(z.string()) }),
      pages: z.array(z.looseObject({ url: z.string(), state: z.string(), changes: z.string().nullable() })),
      citations: z.looseObject({ added: z.array(Citation), removed: z.array(Citation), kept: z.number() }),
    }),
  });
  const { results, pages, citations } = compared;
  const texts = pages.flatMap(({ url, state, changes }) =>
    state === 'same'
      ? []
      : [`${state}  ${styleText('cyan', url)}`, ...(changes === null ? [] : ['', changes, ''])],
  );
  print(
    [
      compared.changed ? 'The answer or its pages differ.' : 'Nothing has changed.',
      ...results.added.map((url) => `+ ${url}`),
      ...results.removed.map((url) => `- ${url}`),
      ...texts,
      ...citations.added.map((one) => `+ ${formatQuote(one)}`),
      ...citations.removed.map((one) => `- ${formatQuote(one)}`),
      `This run is ${styleText('bold', compared.recordId)}; ${countOf(citations.kept, 'citation')} stayed.`,
    ].join('\n'),
  );
  return 0;
}

const buildPath = (id: string): string => `/v1/records/${encodeURIComponent(id)}`;

const computeExitCode = ({ citations }: RecordResponse): number =>
  citations.every(({ verified }) => verified) ? 0 : 1;

const formatHead = ({
  id,
  operation,
  title,
  madeAt,
}: Pick<RecordResponse, 'id' | 'operation' | 'title' | 'madeAt'>): string =>
  `${styleText('bold', id)}  ${styleText('dim', madeAt)}  ${operation}  ${title}`;

function formatRecord(record: RecordResponse): string {
  const { pages, citations, forgottenPages } = record;
  const verified = citations.filter((one) => one.verified);
  const lost = citations.filter(({ standsNow }) => standsNow === false);
  return [
    formatHead(record),
    '',
    ...pages.map(
      ({ url, since, kept }) =>
        `${since.state.padEnd(7)}  ${url}${kept ? '' : '  (its text is no longer kept)'}`,
    ),
    ...(forgottenPages === 0 ? [] : [`${countOf(forgottenPages, 'page')} forgotten`]),
    '',
    `${verified.length} of ${countOf(citations.length, 'citation')} verified`,
    ...citations.filter((one) => !one.verified).map((one) => `not verified: ${formatQuote(one)}`),
    ...lost.map((one) => `no longer on the page: ${formatQuote(one)}`),
  ].join('\n');
}

const QUOTE_CHARS_SHOWN = 120;

function formatQuote({ url, quote }: z.output<typeof Citation>): string {
  const words = (quote ?? '').replace(/\s+/g, ' ').slice(0, QUOTE_CHARS_SHOWN);
  return `"${words}" ${styleText('cyan', url)}`;
}

const countOf = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
