/**
 * Research that can be repeated, over HTTP: `record` on a call keeps it, and these routes list, replay, run again, export, import and delete
 * what is kept. A record is its owner's alone.
 */
import * as z from 'zod';
import { Failure } from '../../contract/errors.ts';
import { RECORD_BYTES_MAX } from '../../contract/limits.ts';
import { buildPlainArticle } from '../../pages/formats/plain-article.ts';
import type { OpenPage } from '../../pages/open-page-types.ts';
import { writeChangesAsMarkdown } from '../../text/changes/write-changes.ts';
import type { CollectReads } from '../../versions/collect-reads.ts';
import { compareRecords, type QuotedCitation } from '../../versions/compare-records.ts';
import type { CompareVersions } from '../../versions/compare-versions.ts';
import type { RecordSummary, Records } from '../../versions/records.ts';
import type { Replay, ReplayedPage, ReplayRecord } from '../../versions/replay-record.ts';
import type { Call, FreeRoute, JsonObject, PricedRoute, WorkResult } from '../calls/call.ts';
import { resolveOwner } from '../calls/caller.ts';
import { IGNORED_HEADER } from '../calls/ignored-fields.ts';
import { isObject } from '../calls/json-body.ts';
import type { Parameter } from '../calls/operation.ts';

export type RecordDeps = {
  /** Opens the records. */
  records(): Promise<Records>;
  replayRecord: ReplayRecord;
  collectReads: Pick<CollectReads, 'collect'>;
  compareVersions: CompareVersions;
};

type Handle = FreeRoute['handle'];

const LISTED_MAX = 1_000;
const WHAT = 'Records';
const FIELD = 'record';

/** The field of a call that is to be recorded. */
export const recordField = z.boolean('must be true or false').default(false).meta({
  description:
    'true: keeps this call, its answer and the texts of all pages that it reads, for the caller alone. `recordId` of the answer names the record. Needs a key where calls are metered.',
});

/**
 * Wraps a priced call so that `record: true` keeps it. Where nothing may be stored, and for an answer that is streamed, the field is named
 * among those without effect.
 */
export function addRecord(
  operation: string,
  prepare: PricedRoute['prepare'],
  { records, collectReads }: Pick<RecordDeps, 'records' | 'collectReads'>,
): PricedRoute['prepare'] {
  return (call) => {
    const task = prepare(call);
    const { record, api_key: _key, apiKey: _otherKey, ...request } = call.body;
    if (record !== true) return task;
    const { owner } = resolveOwner(call, WHAT);
    const isKept = call.keep && request.store !== false;
    return {
      ...task,
      async work(signal, credits) {
        const { result, reads } = await collectReads.collect(() => task.work(signal, credits));
        const { body: answer } = result;
        if (!isKept || !isObject(answer)) return nameWithoutEffect(result);
        const { id } = await (await records()).keep({ owner, operation, request, answer, reads });
        return { ...result, body: { ...answer, recordId: id } };
      },
    };
  };
}

function nameWithoutEffect(result: WorkResult): WorkResult {
  const ignored = result.headers?.[IGNORED_HEADER];
  const names = ignored === undefined ? FIELD : `${ignored}, ${FIELD}`;
  return { ...result, headers: { ...result.headers, [IGNORED_HEADER]: names } };
}

/** GET /v1/records: the caller's records, newest first. */
export function createRecordsHandler({ records }: Pick<RecordDeps, 'records'>): Handle {
  return async (call) => {
    const found = await (await records()).list(resolveOwner(call, WHAT).owner, LISTED_MAX);
    return { body: { requestId: call.requestId, records: found.map(toPublicSummary) } };
  };
}

function toPublicSummary({
  id,
  operation,
  title,
  madeAt,
  pages,
  forgotten,
  bytes,
}: RecordSummary): JsonObject {
  return { id, operation, title, madeAt: toInstant(madeAt), pages, forgottenPages: forgotten, bytes };
}

export const RECORD_PARAMETERS: Parameter[] = [
  {
    name: 'text',
    in: 'query',
    about: 'true: with the texts of the pages.',
    schema: z.boolean().default(false),
  },
];

/** GET /v1/records/{id}: replays a record and says what has changed since. Errors: 404. */
export function createRecordHandler(deps: Pick<RecordDeps, 'replayRecord'>): Handle {
  return async (call) => {
    const replay = await replayOwn(deps, call);
    const hasText = /^(?:1|true)$/i.test(call.query.get('text') ?? '');
    return { body: { requestId: call.requestId, record: toPublicRecord(replay, { hasText }) } };
  };
}

/** DELETE /v1/records/{id}: deletes a record with its texts. Errors: 404. */
export function createDeleteRecordHandler({ records }: Pick<RecordDeps, 'records'>): Handle {
  return async (call) => {
    const { id = '' } = call.params;
    if (!(await (await records()).remove({ owner: resolveOwner(call, WHAT).owner, id })))
      throw createNotFound();
    return { body: { requestId: call.requestId, id, deleted: true } };
  };
}

/** POST /v1/records/{id}/rerun: runs the request again, records that too, and compares. Errors: 404, and those of the recorded route. */
export function createRerunHandler(deps: RecordDeps, routes: Readonly<Record<string, PricedRoute>>): Handle {
  return async (call, runAlso) => {
    const before = await replayOwn(deps, call);
    const { operation, request } = before.record;
    const route = routes[operation];
    if (route === undefined) throw createNotFound();
    const target = route.paths[0] ?? '';
    const { answer } = await runAlso(route, { target, body: { ...request, record: true } }).catch(
      explainLoss,
    );
    const { recordId, costDollars } = isObject(answer.body) ? answer.body : {};
    const after = await replayOwn(deps, { ...call, params: { id: String(recordId) } });
    const { isChanged, results, pages, citations } = compareRecords(toCompared(before), toCompared(after));
    const changes = await Promise.all(
      pages.map(async ({ url, state }) => ({
        url,
        state,
        changes: state === 'changed' ? await describeChanges(deps, call, { url, before, after }) : null,
      })),
    );
    return {
      body: {
        requestId: call.requestId,
        id: before.record.id,
        recordId,
        changed: isChanged,
        results: {
          added: results.added,
          removed: results.removed,
          kept: results.kept,
          reordered: results.isReordered,
        },
        pages: changes,
        citations: {
          added: citations.added.map(toPublicCitation),
          removed: citations.removed.map(toPublicCitation),
          kept: citations.kept,
        },
        ...(costDollars === undefined ? {} : { costDollars }),
      },
    };
  };
}

/** A request that was valid once is so no longer only if what it asked for was forgotten. */
function explainLoss(error: unknown): never {
  if (error instanceof Failure && error.code === 'validation_error')
    throw new Failure('not_found', `What this record asked for was forgotten: ${error.message}`, {
      cause: error,
    });
  throw error;
}

const toCompared = ({ record, citations }: Replay) => ({
  answer: record.answer,
  pages: record.pages,
  citations,
});

/** Describes as Markdown how the text of a page differs between two records; null if one of the texts is no longer kept. */
async function describeChanges(
  { records, compareVersions }: Pick<RecordDeps, 'records' | 'compareVersions'>,
  { signal, tenant }: Pick<Call, 'signal' | 'tenant'>,
  { url, ...runs }: { url: string; before: Replay; after: Replay },
): Promise<string | null> {
  const find = async ({ record, pages }: Replay) => {
    const page = pages.find((one) => one.url === url);
    return page === undefined ? null : (await records()).findPage(record, page);
  };
  const [before, after] = [await find(runs.before), await find(runs.after)];
  if (before === null || after === null) return null;
  return writeChangesAsMarkdown(await compareVersions.byBlock({ before, after }, { signal, tenant }));
}

/** GET /v1/records/{id}/export: a record as one file. Errors: 404. */
export function createExportRecordHandler(deps: Pick<RecordDeps, 'replayRecord'>): Handle {
  return async (call) => {
    const { record, pages } = await replayOwn(deps, call);
    const { writeRecordFile } = await import('./record-file.ts');
    return {
      body: writeRecordFile({ record, texts: pages.map(({ text }) => text) }),
      headers: {
        'content-type': 'application/x-tar',
        'content-disposition': `attachment; filename="${record.id}.tar"`,
      },
    };
  };
}

/** POST /v1/records/import: adds the record of a file to those of the caller, if every byte of it is as it was exported. Errors: 413, 422. */
export function createImportRecordHandler({
  records,
  replayRecord,
}: Pick<RecordDeps, 'records' | 'replayRecord'>): Handle {
  return async (call) => {
    const { owner } = resolveOwner(call, WHAT);
    const { readRecordFile } = await import('./record-file.ts');
    const { record, texts } = await readRecordFile(call.bytes);
    await (await records()).add({ ...record, owner, texts });
    const replay = await replayOwn({ replayRecord }, { ...call, params: { id: record.id } });
    return { body: { requestId: call.requestId, record: toPublicRecord(replay, { hasText: false }) } };
  };
}

/** A body without fields, and one that is the file of a record. */
export const NO_BODY = { readBody: () => ({}) };
export const FILE_BODY = { ...NO_BODY, bodyBytesMax: RECORD_BYTES_MAX.file };

/** Opens the page of a record that a citation names, by its hash or its address. Throws `Failure('not_found')`. */
export function createRecordOpener(
  deps: Pick<RecordDeps, 'replayRecord'>,
  call: Pick<Call, 'caller' | 'tenant'>,
  { id, contentHash }: { id: string; contentHash: string | null },
): OpenPage {
  return async (url, { signal }) => {
    const { pages } = await replayOwn(deps, { ...call, params: { id }, signal });
    const page = pages.find((one) =>
      contentHash === null
        ? [one.url, one.readFrom, one.declared].includes(url)
        : one.contentHash === contentHash,
    );
    if (page?.text == null) throw new Failure('not_found', 'The record has no text of this page.');
    const { readFrom, title, text: markdown, chars: rawChars, readAt } = page;
    const article = buildPlainArticle(readFrom, { kind: 'markdown', title, markdown, rawChars });
    return { article, fetchedAt: readAt, cache: 'hit', privacy: null };
  };
}

async function replayOwn(
  { replayRecord }: Pick<RecordDeps, 'replayRecord'>,
  call: Pick<Call, 'caller' | 'tenant' | 'params' | 'signal'>,
): Promise<Replay> {
  const { signal, tenant, params } = call;
  const name = { owner: resolveOwner(call, WHAT).owner, id: params.id ?? '' };
  const replay = await replayRecord(name, { signal, tenant });
  if (replay === null) throw createNotFound();
  return replay;
}

const createNotFound = (): Failure =>
  new Failure('not_found', "There is no such record: it is unknown, was deleted, or is another caller's.");

const toInstant = (ms: number): string => new Date(ms).toISOString();

function toPublicRecord({ record, pages, citations }: Replay, shown: { hasText: boolean }): JsonObject {
  const { id, operation, title, madeAt, request, answer, forgotten } = record;
  return {
    id,
    operation,
    title,
    madeAt: toInstant(madeAt),
    request,
    answer,
    pages: pages.map((page) => toPublicPage(page, shown)),
    citations: citations.map(({ isVerified, standsNow, ...citation }) => ({
      ...toPublicCitation(citation),
      verified: isVerified,
      standsNow,
    })),
    forgottenPages: forgotten,
  };
}

function toPublicPage(page: ReplayedPage, { hasText }: { hasText: boolean }): JsonObject {
  const { url, title, readAt, contentHash, chars, text, since } = page;
  return {
    url,
    title,
    readAt: toInstant(readAt),
    contentHash,
    characters: chars,
    kept: text !== null,
    since: { state: since.state, seenAt: since.seenAt === null ? null : toInstant(since.seenAt) },
    ...(hasText ? { text } : {}),
  };
}

const toPublicCitation = ({ url, contentHash, start, end, quote }: QuotedCitation): JsonObject => ({
  url,
  contentHash,
  start,
  end,
  quote,
});
