/**
 * The parts of Firecrawl's pages that a model writes: `summary`, and `json` by a schema or a prompt. They are added to the scrape of one
 * page, which knows nothing of them; crawls, batches and searches have only what needs no model.
 */
import { PRICES } from '../../billing/ledger/prices.ts';
import { ROUTE_MS } from '../../contract/limits.ts';
import { runWithTimeout } from '../../platform/clock.ts';
import type { SourcePassage } from '../../text/proof/prove-statements.ts';
import type { Writer } from '../../writing/writer.ts';
import type { JsonObject, PricedRoute } from '../calls/call.ts';
import { isObject } from '../calls/json-body.ts';
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
    const { formats } = call.body;
    if (!Array.isArray(formats)) return prepare(call);
    const asked = readAskedParts(formats, call.body);
    if (asked.json === null && !asked.summary) return prepare(call);
    const others = formats.filter((one) => !isWritten(one, asked));
    const hidesMarkdown = !others.some((one) => readName(one) === 'markdown');
    const query = asked.json?.prompt ?? null;
    const hidesPassages = query !== null && !others.some((one) => readName(one) === 'highlights');
    const inner = prepare({
      ...call,
      body: {
        ...call.body,
        jsonOptions: null,
        formats: [
          ...others,
          ...(hidesMarkdown ? ['markdown'] : []),
          ...(hidesPassages ? [{ type: 'highlights', query }] : []),
        ],
      },
    });
    const count = Number(asked.json !== null) + Number(asked.summary);
    const most = inner.most + count * PRICES.writtenPage;
    return {
      most,
      takesFewer: true,
      async work(signal, credits) {
        const result = await runWithTimeout({ signal, ms: ROUTE_MS.page }, (inTime) =>
          inner.work(inTime, inner.most),
        );
        const data = isObject(result.body) ? result.body.data : null;
        if (!isObject(data)) return result;
        const isPaid = credits >= most;
        const passages = collectPagePassages(data);
        const context = { passages, signal, tenant: call.tenant, keep: call.keep };
        const write = (task: string, schema: Record<string, unknown> | null): Promise<WrittenPart | null> =>
          isPaid ? writePart(writer, { ...context, task, schema }) : Promise.resolve(null);
        const [json, summary] = await Promise.all([
          asked.json === null
            ? null
            : write(asked.json.prompt ?? 'Fill in the fields from the page.', asked.json.schema),
          asked.summary ? write('Summarise the page in a few sentences.', null) : null,
        ]);
        const { markdown, highlights, ...rest } = data;
        const written = [json, summary].filter((part) => part !== null && part.kind !== 'none').length;
        const warning = [data.warning, describeUnproved(json)]
          .filter((text) => typeof text === 'string')
          .join('; ');
        return {
          ...result,
          used: result.used + written * PRICES.writtenPage,
          incomplete: [
            ...(result.incomplete ?? []),
            ...new Set([...listUnwritten(json), ...listUnwritten(summary)]),
          ],
          body: {
            success: true,
            data: {
              ...rest,
              ...(hidesMarkdown ? {} : { markdown }),
              ...(hidesPassages || highlights === undefined ? {} : { highlights }),
              ...(summary?.kind === 'text'
                ? { summary: summary.plain, summaryStatements: summary.statements }
                : {}),
              ...(asked.json === null ? {} : { json: json?.kind === 'fields' ? json.value : null }),
              ...(json?.kind === 'fields' ? { jsonProofs: json.proofs } : {}),
              ...(warning === '' ? {} : { warning }),
            },
          },
        };
      },
    };
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
