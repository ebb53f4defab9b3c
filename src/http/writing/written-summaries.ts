import { PRICES } from '../../billing/ledger/prices.ts';
import { HIGHLIGHTS_MAX, ROUTE_MS } from '../../contract/limits.ts';
import { runWithTimeout } from '../../platform/clock.ts';
import type { LatePart } from '../../search/late-parts.ts';
import type { Writer } from '../../writing/writer.ts';
import type { Call, JsonObject, PricedRoute, WorkResult } from '../calls/call.ts';
import { IGNORED_HEADER } from '../calls/ignored-fields.ts';
import { isObject } from '../calls/json-body.ts';
import {
  INSTRUCTIONS_CHARS_MAX,
  listUnwritten,
  parseSchema,
  type WrittenPart,
  writePart,
} from './write-text.ts';

/** A summary that a model is to write: what it is about, and the schema of its value; null: prose. */
type AskedSummary = { query: string | null; schema: Record<string, unknown> | null };

type Place = {
  /** The name of the field that holds the parts of each page; null: they are in the body itself. */
  within: 'contents' | null;
  /** How many pages the call returns at most. */
  countPages(body: JsonObject): number;
  ms: number;
};

export const CONTENTS_PLACE: Place = {
  within: null,
  countPages: ({ urls, ids }) => [urls ?? [], ids ?? []].flat().length,
  ms: ROUTE_MS.page,
};

/** Creates the place of a search, whose pages are its results. */
export const createSearchPlace = (usual: number, most: number, ms: number): Place => ({
  within: 'contents',
  countPages: ({ numResults, num_results: snake = numResults }) =>
    typeof snake === 'number' ? Math.min(snake, most) : usual,
  ms,
});

/** Passages of a page that its summary is written from. */
const PASSAGES = Math.min(12, HIGHLIGHTS_MAX);

/**
 * Adds to a route of the first shape the summaries that need a model: those with a `query` or a `schema`. Each is written from passages of
 * its page; where nothing is proved, the sentences of the page stand. The route itself knows nothing of it.
 */
export function addWrittenSummaries(
  prepare: PricedRoute['prepare'],
  writer: Writer | null,
  place: Place,
): PricedRoute['prepare'] {
  if (writer === null) return prepare;
  return (call) => {
    const parts = place.within === null ? call.body : call.body[place.within];
    const asked = isObject(parts) ? readAskedSummary(parts.summary) : null;
    if (asked === null || !isObject(parts)) return prepare(call);
    const hidesPassages = !parts.highlights;
    const inner = prepare({ ...call, body: replaceParts(call.body, place, buildInnerParts(parts, asked)) });
    const extra = place.countPages(call.body) * PRICES.writtenPage;
    return {
      most: inner.most + extra,
      // Pages are read whether or not there are credits for texts about them.
      least: inner.least ?? inner.most,
      async work(signal, credits) {
        const result = await runWithTimeout({ signal, ms: place.ms }, (inTime) =>
          inner.work(inTime, Math.min(credits, inner.most)),
        );
        if (!isObject(result.body) || !Array.isArray(result.body.results)) return result;
        const room = Math.floor((credits - result.used) / PRICES.writtenPage);
        const pages: JsonObject[] = result.body.results;
        const written = await Promise.all(
          pages.map(async (page, at): Promise<WrittenPage> => {
            const part = at < room ? await writeSummary(writer, page, { asked, call, signal }) : null;
            return { part, page: showSummary(page, part, { asked, hidesPassages }) };
          }),
        );
        return joinResult(result, written);
      },
    };
  };
}

type WrittenPage = { page: JsonObject; part: WrittenPart | null };

/** Reads a summary that only a model can write; null for any other. */
function readAskedSummary(given: unknown): AskedSummary | null {
  if (!isObject(given)) return null;
  const query =
    typeof given.query === 'string' && given.query.trim() !== ''
      ? given.query.slice(0, INSTRUCTIONS_CHARS_MAX)
      : null;
  const schema = given.schema === undefined || given.schema === null ? null : parseSchema(given.schema);
  return query === null && schema === null ? null : { query, schema };
}

const replaceParts = (body: JsonObject, { within }: Place, parts: JsonObject): JsonObject =>
  within === null ? parts : { ...body, [within]: parts };

/** Asks the route for sentences of the page, which stand where nothing is written, and for passages. */
function buildInnerParts(parts: JsonObject, { query }: AskedSummary): JsonObject {
  const passages = { ...(query === null ? {} : { query }), highlightsPerUrl: PASSAGES };
  return {
    ...parts,
    summary: query === null ? true : { query },
    ...(parts.highlights ? {} : { highlights: passages }),
  };
}

function writeSummary(
  writer: Writer,
  page: JsonObject,
  { asked, call, signal }: { asked: AskedSummary; call: Pick<Call, 'tenant' | 'keep'>; signal: AbortSignal },
): Promise<WrittenPart> {
  const { url, title, highlights } = page;
  const texts = Array.isArray(highlights) ? highlights.filter((one) => typeof one === 'string') : [];
  const passages = texts.map((text) => ({ url: String(url), title: String(title), text }));
  const task =
    asked.query ??
    (asked.schema === null ? 'Summarise the page in a few sentences.' : 'Fill in the fields from the page.');
  return writePart(writer, {
    task,
    passages,
    schema: asked.schema,
    signal,
    tenant: call.tenant,
    keep: call.keep,
  });
}

function showSummary(
  page: JsonObject,
  part: WrittenPart | null,
  { asked, hidesPassages }: { asked: AskedSummary; hidesPassages: boolean },
): JsonObject {
  const { highlights, highlightScores, highlightProofs, summary, ...others } = page;
  const shown = hidesPassages ? others : { ...others, highlights, highlightScores, highlightProofs };
  if (part?.kind === 'text') return { ...shown, summary: part.plain, summaryStatements: part.statements };
  if (part?.kind === 'fields')
    return {
      ...shown,
      summary: JSON.stringify(part.value),
      summaryProofs: part.proofs,
      summaryUnproved: part.unproved,
    };
  // Sentences are no value by a schema.
  return asked.schema === null && summary !== undefined ? { ...shown, summary } : shown;
}

function joinResult(result: WorkResult, written: readonly WrittenPage[]): WorkResult {
  const { body } = result;
  if (!isObject(body)) return result;
  const parts = written.map(({ part }) => part);
  const count = parts.filter((part) => part !== null && part.kind !== 'none').length;
  const late = parts.flatMap(listUnwritten);
  const incomplete = [...new Set<LatePart>([...(result.incomplete ?? []), ...late])];
  const service = isObject(body.service) ? body.service : {};
  return {
    ...result,
    used: result.used + count * PRICES.writtenPage,
    incomplete,
    headers: withoutSummary(result.headers ?? {}),
    body: {
      ...body,
      results: written.map(({ page }) => page),
      service: { ...service, ...(incomplete.length === 0 ? {} : { incomplete }) },
    },
  };
}

/** The route did not heed the schema, but its answer does. */
function withoutSummary(headers: Record<string, string>): Record<string, string> {
  const { [IGNORED_HEADER]: ignored, ...others } = headers;
  const names = (ignored ?? '').split(', ').filter((name) => name !== '' && !/(?:^|\.)summary$/.test(name));
  return names.length === 0 ? others : { ...others, [IGNORED_HEADER]: names.join(', ') };
}
