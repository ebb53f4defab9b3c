/**
 * Firecrawl's extraction of one value from several pages. It runs within the call that starts it and is kept for its caller, whose client
 * then asks for it.
 */
import * as z from 'zod';
import { PRICES } from '../../billing/ledger/prices.ts';
import { Failure } from '../../contract/errors.ts';
import { CONTENTS_URLS_MAX, HIGHLIGHTS_MAX, RESEARCH_KEPT_MS, ROUTE_MS } from '../../contract/limits.ts';
import type { Clock } from '../../platform/clock.ts';
import { runWithTimeout } from '../../platform/clock.ts';
import type { ReadAnswer, ReadOperation } from '../../search/read.ts';
import type { SourcePassage } from '../../text/proof/prove-statements.ts';
import type { Writer } from '../../writing/writer.ts';
import type { Call, FreeRoute, JsonObject, PricedRoute } from '../calls/call.ts';
import { addScheme, createValidationFailure } from '../calls/json-body.ts';
import type { KeptReports } from '../calls/kept-reports.ts';
import type { Operation } from '../calls/operation.ts';
import { address } from '../v1/contents.ts';
import { writing, writtenProofs } from '../writing/proof-schemas.ts';
import { splitPage } from '../writing/split-page.ts';
import {
  buildNullValue,
  buildWritingField,
  instructionsField,
  listUnwritten,
  NO_CREDITS,
  parseSchema,
  writePart,
} from '../writing/write-text.ts';
import { createHandler } from './core.ts';
import { flag, storeField } from './fields.ts';
import { FREE_SCHEMA } from './firecrawl-written.ts';

const PASSAGES_PER_PAGE = Math.min(10, HIGHLIGHTS_MAX);

const ExtractBody = z.object({
  urls: z
    .array(address, 'must be an array of addresses')
    .min(1, 'must not be empty')
    .max(CONTENTS_URLS_MAX, `must have at most ${CONTENTS_URLS_MAX} addresses`),
  prompt: instructionsField.optional().meta({ description: 'What to extract, in words.' }),
  schema: z
    .unknown()
    .meta({
      description: 'A JSON schema of the value.',
      examples: [{ type: 'object', properties: { year: { type: 'integer' } } }],
    })
    .optional(),
  systemPrompt: instructionsField.optional(),
  showSources: flag.meta({ description: 'Adds `sources`, the quotations that prove each field.' }),
  store: storeField,
});

type ExtractDeps = { read: ReadOperation; writer: Writer; kept: KeptReports; clock: Clock };

/**
 * POST /v2/extract: a credit for each page that loads, and the price of a written answer if a field was proved. Errors: 400
 * url_not_allowed, 422 validation_error, 500 fetch_failed where no page loads.
 */
export function createExtractHandler({ read, writer, kept, clock }: ExtractDeps): PricedRoute['prepare'] {
  return createHandler({ fields: ExtractBody, verbatim: new Set(['schema']) }, (wanted, call) => {
    const schema = parseSchema(wanted.schema);
    if (schema === null && !wanted.prompt)
      throw createValidationFailure([
        { field: 'schema', message: 'must be a JSON schema, or a prompt must be given' },
      ]);
    const pages = wanted.urls.length * PRICES.contentsPerUrl;
    return {
      most: pages + PRICES.writtenAnswer,
      least: 1,
      async work(signal, credits) {
        const { tenant, requestId } = call;
        const keep = call.keep && wanted.store;
        const urls = wanted.urls.slice(0, Math.max(1, Math.floor(credits / PRICES.contentsPerUrl)));
        const opened = await runWithTimeout({ signal, ms: ROUTE_MS.page }, (inTime) =>
          readPages(read, urls, { query: wanted.prompt ?? null, signal: inTime, tenant, keep }),
        );
        const used = opened.length * PRICES.contentsPerUrl;
        const part =
          credits - used < PRICES.writtenAnswer
            ? NO_CREDITS
            : await writePart(writer, {
                task: wanted.prompt ?? 'Fill in the fields from the pages.',
                instructions: wanted.systemPrompt,
                passages: interleave(opened.map(({ passages }) => passages)),
                schema: schema ?? FREE_SCHEMA,
                signal,
                tenant,
                keep,
              });
        const isWritten = part.kind === 'fields';
        const report: JsonObject = {
          success: true,
          status: 'completed',
          data: isWritten ? part.value : buildNullValue(schema ?? FREE_SCHEMA),
          ...(isWritten && wanted.showSources ? { sources: part.proofs } : {}),
          ...(isWritten ? { proofs: part.proofs, unproved: part.unproved } : {}),
          service: buildWritingField(part),
          expiresAt: new Date(clock.now() + RESEARCH_KEPT_MS).toISOString(),
        };
        kept.put(requestId, call, report);
        return {
          used: isWritten ? used + PRICES.writtenAnswer : used,
          incomplete: listUnwritten(part),
          body: { success: true, id: requestId, urlTrace: [] },
        };
      },
    };
  });
}

/** GET /v2/extract/{id}. Errors: 404 not_found. */
export function createExtractStatusHandler(kept: KeptReports): FreeRoute['handle'] {
  return async (call: Call) => {
    const body = await kept.get(call.params.id ?? '', call);
    if (body === null)
      throw new Failure('not_found', 'There is no such extraction, or it is no longer kept.');
    return { body };
  };
}

type ReadOptions = Pick<Parameters<ReadOperation>[0], 'signal' | 'tenant' | 'keep'> & {
  query: string | null;
};

/** Reads all pages at once and leaves out those that fail. Throws the first failure if all do. */
async function readPages(
  read: ReadOperation,
  urls: readonly string[],
  { query, ...options }: ReadOptions,
): Promise<{ passages: SourcePassage[] }[]> {
  const highlights = { query, perUrl: PASSAGES_PER_PAGE, charsMax: null };
  const outcomes = await Promise.allSettled(
    urls.map((url) =>
      read({
        url: addScheme(url),
        question: null,
        ...options,
        ...(query === null ? {} : { parts: { text: null, pruned: null, highlights } }),
      }),
    ),
  );
  const opened = outcomes.flatMap((one) =>
    one.status === 'fulfilled' ? [{ passages: toPassages(one.value) }] : [],
  );
  const failed = outcomes.find((one) => one.status === 'rejected');
  if (opened.length === 0 && failed !== undefined) throw failed.reason;
  for (const one of outcomes)
    if (one.status === 'rejected' && !(one.reason instanceof Failure)) throw one.reason;
  return opened;
}

function toPassages({ url, title, markdown, parts }: ReadAnswer): SourcePassage[] {
  const fitting = (parts?.highlights ?? []).map((text) => ({ url, title, text }));
  return [...fitting, ...splitPage({ url, title, markdown })];
}

/** Takes the first passage of each page, then the second ones. */
function interleave(pages: readonly SourcePassage[][]): SourcePassage[] {
  const deepest = Math.max(0, ...pages.map(({ length }) => length));
  return Array.from({ length: deepest }, (_, round) => pages.flatMap((page) => page[round] ?? [])).flat();
}

const ExtractStarted = z
  .object({ success: z.literal(true), id: z.string(), urlTrace: z.array(z.unknown()) })
  .meta({ title: 'FirecrawlExtractStarted' });
const Extracted = z
  .object({
    success: z.literal(true),
    status: z.literal('completed'),
    data: z.unknown().meta({ description: 'The value; fields that the pages do not prove are null.' }),
    sources: z.unknown().optional(),
    proofs: writtenProofs.proofs,
    unproved: writtenProofs.unproved,
    service: z.object({ writing }),
    expiresAt: z.string(),
  })
  .meta({ title: 'FirecrawlExtracted' });

export const EXTRACT_OPERATIONS: Record<string, Operation> = {
  'POST /v2/extract': {
    id: 'startFirecrawlExtract',
    tag: 'drop-in',
    summary: 'Extract a value from pages, as Firecrawl',
    about:
      'Needs a model of the operator. Each field of the value is checked against the pages; what they do not prove is null.',
    price: '1 credit for each page that loads, and 4 if a field was proved.',
    body: ExtractBody,
    answer: ExtractStarted,
    errors: ['url_not_allowed', 'validation_error', 'fetch_failed', 'not_found'],
    example: {
      body: {
        urls: ['https://example.org/'],
        schema: { type: 'object', properties: { title: { type: 'string' } } },
      },
    },
  },
  'GET /v2/extract/:id': {
    id: 'firecrawlExtract',
    tag: 'drop-in',
    summary: 'Get an extraction, as Firecrawl',
    about: 'The value, for the caller that started its extraction; kept for an hour.',
    price: 'Free.',
    answer: Extracted,
    errors: ['not_found'],
    parameters: [{ name: 'id', in: 'path', required: true, about: 'The extraction.', schema: z.string() }],
  },
};
