import * as z from 'zod';
import { PRICES } from '../../billing/ledger/prices.ts';
import { Failure } from '../../contract/errors.ts';
import { RESEARCH } from '../../contract/limits.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Research, ResearchAnswer } from '../../research/research.ts';
import { NO_FILTERS } from '../../text/query/filters.ts';
import type { Writer } from '../../writing/writer.ts';
import type { Answer, Call, JsonObject, PricedRoute, WorkResult } from '../calls/call.ts';
import { buildIgnoredHeader, buildKnownFields, findIgnoredFields } from '../calls/ignored-fields.ts';
import { parseBody } from '../calls/json-body.ts';
import type { KeptReports } from '../calls/kept-reports.ts';
import { flag, storeField } from '../compat/fields.ts';
import { buildFaviconUrl } from '../compat/results.ts';
import { query } from '../v1/content-fields.ts';
import { formatProse, writeReport } from '../writing/write-report.ts';
import { listUnwritten, type WrittenPart } from '../writing/write-text.ts';
import { buildClosingFields, buildCostOption } from './fields.ts';

const formatSection = (title: string, lines: readonly string[], between = '\n'): string =>
  lines.length === 0 ? '' : `## ${collapseWhitespace(title)}\n\n${lines.join(between)}`;
const formatQuote = (text: string): string =>
  text
    .trim()
    .split('\n')
    .map((line) => `> ${line}`.trimEnd())
    .join('\n');
const collapseWhitespace = (text: string): string => text.replace(/\s+/g, ' ').trim();

/** `model` decides how many searches may run: `pro` runs the maximum of a call. */
export const ShapeBResearchBody = z.object({
  input: query,
  model: z
    .unknown()
    .meta({
      description: `\`pro\` runs up to ${RESEARCH.searches.max} searches, every other value up to ${RESEARCH.searches.default}. Where the service has a model, it writes the report; otherwise it is quoted.`,
      examples: ['mini', 'pro', 'auto'],
    })
    .optional(),
  stream: flag,
  includeUsage: flag,
  store: storeField,
});
type ShapeBResearchFields = z.output<typeof ShapeBResearchBody>;

const KNOWN_FIELDS = buildKnownFields(Object.keys(ShapeBResearchBody.shape));

/**
 * POST /shapeB/research: runs the research within the call and keeps its report for the caller. Holds a credit per search that may run, or
 * as many as the payer has, and uses one per search that returns. Errors: 422 validation_error, 503 recall_unavailable.
 */
export function createShapeBResearchHandler({
  research,
  writer,
  kept,
  clock,
}: {
  research: Research;
  writer: Writer | null;
  kept: KeptReports;
  clock: Clock;
}): PricedRoute['prepare'] {
  return ({ body, requestId, caller, headers: presented, address, tenant, keep }) => {
    const wanted = parseBody(ShapeBResearchBody, body);
    const headers = buildIgnoredHeader(findIgnoredFields(body, KNOWN_FIELDS));
    const asked = wanted.model === 'pro' ? RESEARCH.searches.max : RESEARCH.searches.default;
    const maxSearches = caller.kind === 'keyless' ? Math.min(asked, RESEARCH.searches.keylessMax) : asked;
    const searchCredits = maxSearches * PRICES.researchPerSearch;
    return {
      most: searchCredits + (writer === null ? 0 : PRICES.writtenReport),
      least: 1,
      async work(signal, credits) {
        const began = performance.now();
        const createdAt = new Date(clock.now()).toISOString();
        const answer = await research({
          question: wanted.input,
          ...NO_FILTERS,
          maxSearches: Math.min(maxSearches, Math.floor(credits / PRICES.researchPerSearch)),
          maxPages: RESEARCH.pages.default,
          maxSeconds: RESEARCH.seconds.default,
          maxTokens: RESEARCH.tokens.default,
          signal,
          tenant,
          keep: keep && wanted.store,
        });
        const searched = answer.searches.filter(({ ok }) => ok).length * PRICES.researchPerSearch;
        const part =
          writer &&
          (await writeReport(writer, answer, {
            task: wanted.input,
            signal,
            tenant,
            keep: keep && wanted.store,
            credits: credits - searched,
          }));
        const ending = buildClosingFields({ ms: performance.now() - began, requestId });
        const done = { ...toBody(answer, { wanted, createdAt, part }), ...ending };
        kept.put(requestId, { caller, headers: presented, address }, done);
        const used = searched + (part?.kind === 'text' ? PRICES.writtenReport : 0);
        const { timingsMs } = answer;
        const incomplete = listUnwritten(part);
        return wanted.stream
          ? { used, timingsMs, incomplete, ...formatEvents(done, requestId, headers) }
          : { used, ...buildCostOption(wanted), timingsMs, incomplete, headers, body: done };
      },
    };
  };
}

/** GET /shapeB/research/{id}: a finished report, for the caller that requested it. Errors: 401, 404 not_found. */
export function createResearchStatusHandler(kept: KeptReports): (call: Call) => Promise<Answer> {
  return async ({ params, caller, headers, address }) => {
    const body = await kept.get(params.id ?? '', { caller, headers, address });
    if (body === null) throw new Failure('not_found', 'There is no such research, or it is no longer kept.');
    return { body };
  };
}

function toBody(
  answer: ResearchAnswer,
  {
    wanted: { input, model },
    createdAt,
    part,
  }: { wanted: ShapeBResearchFields; createdAt: string; part: WrittenPart | null },
): JsonObject {
  const isWritten = part?.kind === 'text';
  return {
    created_at: createdAt,
    status: 'completed',
    input,
    model: model === 'pro' || model === 'mini' ? model : 'auto',
    content: isWritten ? formatProse(part, `# ${collapseWhitespace(input)}`) : formatReport(input, answer),
    ...(isWritten ? { statements: part.statements } : {}),
    sources: (isWritten ? part.sources : collectSources(answer)).map((source) => ({
      ...source,
      favicon: buildFaviconUrl(source.url),
    })),
  };
}

/** Formats the finished report as server-sent events in the framing of chat completions, followed by an event named `done`. */
function formatEvents(
  { content, sources, model }: JsonObject,
  requestId: string,
  headers: Record<string, string>,
): Pick<WorkResult, 'body' | 'headers'> {
  const formatChunk = (delta: JsonObject): string =>
    `data: ${JSON.stringify({
      id: requestId,
      object: 'chat.completion.chunk',
      model,
      choices: [{ index: 0, delta }],
    })}\n\n`;
  const body = `${formatChunk({ role: 'assistant', content })}${formatChunk({ sources })}event: done\n\n`;
  return {
    body,
    headers: { ...headers, 'content-type': 'text/event-stream; charset=utf-8', 'Cache-Control': 'no-store' },
  };
}

type Evidence = ResearchAnswer['evidence'][number];

type Source = { title: string; url: string };

/** Collects the pages of the evidence, each once, in the order of their first passage. */
function collectSources({ evidence }: Pick<ResearchAnswer, 'evidence'>): Source[] {
  return [...new Map(evidence.map(({ url, title }) => [url, { title, url }])).values()];
}

/** Formats the evidence as a Markdown report: verbatim quotations by facet, numbered by page, and where sources agree and disagree. */
function formatReport(input: string, answer: ResearchAnswer): string {
  const sources = collectSources(answer);
  const numberOf = new Map(sources.map(({ url }, place) => [url, place + 1]));
  const byId = new Map(answer.evidence.map((one) => [one.id, one]));
  const formatMarks = (ids: readonly string[]): string =>
    ids.map((id) => `[${numberOf.get(byId.get(id)?.url ?? '') ?? '?'}]`).join('');
  const parts = [
    `# ${collapseWhitespace(input)}`,
    ...formatFacets(answer, (one) => `[${numberOf.get(one.url)}](${one.link})`),
    formatSection(
      'Where sources agree',
      answer.agreements.map(({ what, value, sources: ids }) => `- ${what}: ${value} ${formatMarks(ids)}`),
    ),
    formatSection(
      'Where sources disagree',
      answer.disagreements.map(
        ({ what, values }) =>
          `- ${what}: ${values.map(({ value, sources: ids }) => `${value} ${formatMarks(ids)}`).join('; ')}`,
      ),
    ),
    formatSection(
      'Not found',
      answer.facets.flatMap(({ facet, why }) =>
        why === null ? [] : [`- ${collapseWhitespace(facet)}: ${why}`],
      ),
    ),
    formatSection(
      'Sources',
      sources.map(({ title, url }, place) => `${place + 1}. ${collapseWhitespace(title) || url}: ${url}`),
    ),
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

/** Lists each passage under the facet that it fits best. */
function formatFacets(
  { facets, evidence }: Pick<ResearchAnswer, 'facets' | 'evidence'>,
  mark: (one: Evidence) => string,
): string[] {
  return facets.map(({ facet }, place) =>
    formatSection(
      facet,
      evidence
        .filter((one) => one.facets[0] === place)
        .map((one) => `${formatQuote(one.quote)}\n>\n> ${mark(one)}`),
      '\n\n',
    ),
  );
}
