/**
 * The parts of Firecrawl's pages that a model writes: `summary`, and `json` by a schema or a prompt. They are added to scrapes and searches,
 * which know nothing of them; crawls and batches, whose pages are read by several processes, have only what needs no model.
 */
import { PRICES } from '../../billing/ledger/prices.ts';
import { ROUTE_MS } from '../../contract/limits.ts';
import { runWithTimeout } from '../../platform/clock.ts';
import type { LatePart } from '../../search/late-parts.ts';
import type { SourcePassage } from '../../text/proof/prove-statements.ts';
import type { Writer } from '../../writing/writer.ts';
import type { Call, JsonObject, PricedRoute } from '../calls/call.ts';
import { createValidationFailure, isObject } from '../calls/json-body.ts';
import { splitPage } from '../writing/split-page.ts';
import {
  INSTRUCTIONS_CHARS_MAX,
  listUnwritten,
  parseSchema,
  type WrittenPart,
  writePart,
} from '../writing/write-text.ts';

/** What a model is to write about a page; null: not asked for. */
type AskedParts = {
  json: { schema: Record<string, unknown>; prompt: string | null } | null;
  summary: boolean;
};

/** The value that a prompt without a schema asks for. */
export const FREE_SCHEMA: Record<string, unknown> = {
  type: 'object',
  properties: { answer: { type: 'string', description: 'What the task asks for, in plain text.' } },
  required: ['answer'],
};

/** Adds the formats that need a model to POST /v2/scrape; without a model the route is unchanged. */
export function addWrittenFormats(
  prepare: PricedRoute['prepare'],
  writer: Writer | null,
): PricedRoute['prepare'] {
  if (writer === null) return prepare;
  return (call) => {
    const plan = planWriting(call.body);
    if (plan === null) return prepare(call);
    const inner = prepare({ ...call, body: plan.options });
    const most = inner.most + plan.count * PRICES.writtenPage;
    return {
      most,
      least: inner.most,
      async work(signal, credits) {
        const result = await runWithTimeout({ signal, ms: ROUTE_MS.page }, (inTime) =>
          inner.work(inTime, inner.most),
        );
        const data = isObject(result.body) ? result.body.data : null;
        if (!isObject(data)) return result;
        const page = await writePage(credits >= most ? writer : null, data, { plan, call, signal });
        return {
          ...result,
          used: result.used + page.written * PRICES.writtenPage,
          incomplete: [...new Set([...(result.incomplete ?? []), ...page.late])],
          body: { success: true, data: page.data },
        };
      },
    };
  };
}

/** Adds them to POST /v2/search, for each page that is read. `prepare` bounds its own time. */
export function addWrittenSearchFormats(
  prepare: PricedRoute['prepare'],
  writer: Writer | null,
): PricedRoute['prepare'] {
  if (writer === null) return prepare;
  return (call) => {
    const { scrapeOptions: camel, scrape_options: options = camel, ...others } = call.body;
    const plan = isObject(options) ? planWriting(options) : null;
    if (plan === null) return prepare(call);
    const inner = prepare({ ...call, body: { ...others, scrapeOptions: plan.options } });
    const pagesMax = (inner.most - PRICES.search) / PRICES.read;
    return {
      most: inner.most + pagesMax * plan.count * PRICES.writtenPage,
      async work(signal, credits) {
        const result = await inner.work(signal, credits);
        if (!isObject(result.body)) return result;
        const { data } = result.body;
        const write = (pages: unknown): Promise<WrittenPage[]> =>
          Promise.all(
            (Array.isArray(pages) ? pages : []).map((page) => {
              // A page that could not be read has no text to write from.
              const isRead = isObject(page) && isObject(page.metadata) && page.metadata.error === undefined;
              return writePage(isRead ? writer : null, page, { plan, call, signal });
            }),
          );
        // Version 1 has no groups.
        const groups = Array.isArray(data) ? { '': data } : isObject(data) ? data : {};
        const named = await Promise.all(
          Object.entries(groups).map(async ([name, pages]) => [name, await write(pages)] as const),
        );
        const pages = named.flatMap(([, written]) => written);
        const shown = named.map(([name, written]) => [name, written.map((page) => page.data)] as const);
        return {
          ...result,
          used: result.used + pages.reduce((sum, { written }) => sum + written, 0) * PRICES.writtenPage,
          incomplete: [...new Set([...(result.incomplete ?? []), ...pages.flatMap(({ late }) => late)])],
          body: { ...result.body, data: Array.isArray(data) ? shown[0]?.[1] : Object.fromEntries(shown) },
        };
      },
    };
  };
}

/** The texts that a model is to write, and the options of the scrape that it writes them from. */
type WritingPlan = {
  asked: AskedParts;
  count: number;
  options: JsonObject;
  /** Parts of the page that only the model needs. */
  hidesMarkdown: boolean;
  hidesPassages: boolean;
};

/** Plans what a model is to write by the options of a scrape; null: nothing. */
function planWriting(options: JsonObject): WritingPlan | null {
  const { formats } = options;
  if (!Array.isArray(formats)) return null;
  const asked = readAskedParts(formats, options);
  if (asked.json === null && !asked.summary) return null;
  const others = formats.filter((one) => !isWritten(one, asked));
  const hidesMarkdown = !others.some((one) => readName(one) === 'markdown');
  const query = asked.json?.prompt ?? null;
  const hidesPassages = query !== null && !others.some((one) => readName(one) === 'highlights');
  return {
    asked,
    count: Number(asked.json !== null) + Number(asked.summary),
    hidesMarkdown,
    hidesPassages,
    options: {
      ...options,
      jsonOptions: null,
      formats: [
        ...others,
        ...(hidesMarkdown ? ['markdown'] : []),
        ...(hidesPassages ? [{ type: 'highlights', query }] : []),
      ],
    },
  };
}

/** A document with what was written about it; `written`: how many parts. */
type WrittenPage = { data: JsonObject; written: number; late: LatePart[] };

/** Writes the parts of one page; without a writer, they are missing. */
async function writePage(
  writer: Writer | null,
  page: JsonObject,
  {
    plan: { asked, hidesMarkdown, hidesPassages },
    call,
    signal,
  }: { plan: WritingPlan; call: Pick<Call, 'tenant' | 'keep'>; signal: AbortSignal },
): Promise<WrittenPage> {
  const context = { passages: collectPagePassages(page), signal, tenant: call.tenant, keep: call.keep };
  const write = (task: string, schema: Record<string, unknown> | null): Promise<WrittenPart> | null =>
    writer && writePart(writer, { ...context, task, schema });
  const [json, summary] = await Promise.all([
    asked.json && write(asked.json.prompt ?? 'Fill in the fields from the page.', asked.json.schema),
    asked.summary ? write('Summarise the page in a few sentences.', null) : null,
  ]);
  const { markdown, highlights, ...rest } = page;
  const warning = [page.warning, describeUnproved(json)]
    .filter((text) => typeof text === 'string')
    .join('; ');
  return {
    written: [json, summary].filter((part) => part !== null && part.kind !== 'none').length,
    late: [...listUnwritten(json), ...listUnwritten(summary)],
    data: {
      ...rest,
      ...(hidesMarkdown ? {} : { markdown }),
      ...(hidesPassages || highlights === undefined ? {} : { highlights }),
      ...(summary?.kind === 'text' ? { summary: summary.plain, summaryStatements: summary.statements } : {}),
      ...(asked.json === null ? {} : { json: json?.kind === 'fields' ? json.value : null }),
      ...(json?.kind === 'fields' ? { jsonProofs: json.proofs } : {}),
      ...(warning === '' ? {} : { warning }),
    },
  };
}

const readName = (format: unknown): unknown => (isObject(format) ? format.type : format);

function readAskedParts(formats: readonly unknown[], body: JsonObject): AskedParts {
  const found = formats.find((one) => readName(one) === 'json' || readName(one) === 'extract');
  // The sentences of a page stand where no summary is proved.
  return {
    json: found === undefined ? null : readJson(found, body),
    summary: formats.some((one) => readName(one) === 'summary'),
  };
}

/** A schema with selectors needs no model. In version 1 the options are beside the formats. */
function readJson(format: unknown, { jsonOptions, extract }: JsonObject): AskedParts['json'] {
  const options = [format, jsonOptions, extract].find(
    (one) => isObject(one) && ('schema' in one || 'prompt' in one),
  );
  if (!isObject(options)) return null;
  const schema = parseSchema(options.schema);
  if (schema !== null && JSON.stringify(schema).includes('"selector"')) return null;
  const prompt =
    typeof options.prompt === 'string' && options.prompt.trim() !== ''
      ? options.prompt.slice(0, INSTRUCTIONS_CHARS_MAX)
      : null;
  return schema === null && prompt === null ? null : { schema: schema ?? FREE_SCHEMA, prompt };
}

const isWritten = (format: unknown, { json }: AskedParts): boolean =>
  json !== null && (readName(format) === 'json' || readName(format) === 'extract');

/** The passages that fit a prompt come first, then the page from its beginning. */
function collectPagePassages({ markdown, highlights, metadata }: JsonObject): SourcePassage[] {
  const { url = '', title = '' }: JsonObject = isObject(metadata) ? metadata : {};
  const page = { url: String(url), title: String(title) };
  const fitting =
    typeof highlights === 'string' ? highlights.split('\n\n').map((text) => ({ ...page, text })) : [];
  return [...fitting, ...splitPage({ ...page, markdown: typeof markdown === 'string' ? markdown : '' })];
}

function describeUnproved(part: WrittenPart | null): string | null {
  if (part?.kind === 'none') return `json: nothing was proved by the page (${part.why})`;
  if (part?.kind !== 'fields' || part.unproved.length === 0) return null;
  return part.unproved.map(({ path, reason }) => `json${path}: ${reason}`).join('; ');
}

/** Throws `Failure('validation_error')` where a crawl or batch asks for JSON that a model would have to write. */
export function refuseWrittenFormats(options: JsonObject, field: string): void {
  const json = Array.isArray(options.formats) ? readAskedParts(options.formats, options).json : null;
  if (json !== null)
    throw createValidationFailure([
      {
        field,
        message:
          'json without selectors is written by a model, which crawls and batches do not ask: use /v2/scrape, /v2/search or /v2/extract',
      },
    ]);
}
