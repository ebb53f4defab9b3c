import * as z from 'zod';
import { PRICES } from '../../billing/ledger/prices.ts';
import { RESEARCH } from '../../contract/limits.ts';
import type { Research, ResearchAnswer, ResearchRequest } from '../../research/research.ts';
import type { CitedEvidence } from '../../research/research-pages.ts';
import type { Writer } from '../../writing/writer.ts';
import type { Call, JsonObject, PricedRoute, WorkResult } from '../calls/call.ts';
import { buildIgnoredHeader, findIgnoredFields } from '../calls/ignored-fields.ts';
import { buildIncompleteField } from '../calls/incomplete.ts';
import { omitNulls, parseBody, roundScore } from '../calls/json-body.ts';
import { formatProse, writeReport } from '../writing/write-report.ts';
import { buildWritingField, listUnwritten, NEEDS_MODEL, type WrittenPart } from '../writing/write-text.ts';
import { query } from './content-fields.ts';
import { buildCostDollars } from './cost.ts';
import { day } from './day.ts';
import { storeField } from './opening.ts';
import { recordField } from './records.ts';
import { buildKnownSearchFields, domains } from './search.ts';

const createCountSchema = (bound: { default: number; max: number }) =>
  z
    .number('must be a whole number')
    .int('must be a whole number')
    .min(1, 'must be 1 or more')
    .max(bound.max, `must be ${bound.max.toLocaleString('en')} or less`)
    .default(bound.default);

/** `query` is an alias of `question`; `question` wins when both are present. */
const fields = z.object({
  question: query,
  maxSearches: createCountSchema(RESEARCH.searches),
  maxPages: createCountSchema(RESEARCH.pages),
  maxSeconds: createCountSchema(RESEARCH.seconds),
  maxTokens: createCountSchema(RESEARCH.tokens),
  includeDomains: domains,
  excludeDomains: domains,
  startPublishedDate: day.optional(),
  endPublishedDate: day.optional(),
  report: z
    .literal(false, NEEDS_MODEL)
    .default(false)
    .meta({ description: 'Only a service with a model writes reports.' }),
  store: storeField,
  record: recordField,
});
const takeAlias = (given: unknown): unknown =>
  typeof given === 'object' && given !== null && !('question' in given) && 'query' in given
    ? { ...given, question: given.query }
    : given;

export const ResearchBody = z.preprocess(takeAlias, fields);
/** Of a service with a model. */
export const WrittenResearchBody = z.preprocess(
  takeAlias,
  fields.extend({
    report: z.boolean('must be true or false').default(false).meta({
      description:
        'true: adds `report`, prose with numbered sources, each statement of it checked against the evidence.',
    }),
  }),
);

const KNOWN_FIELDS = buildKnownSearchFields([
  ...['question', 'query', 'maxSearches', 'maxPages', 'maxSeconds', 'maxTokens'],
  ...['includeDomains', 'excludeDomains', 'startPublishedDate', 'endPublishedDate', 'report', 'store'],
  'record',
]);

type ResearchDeps = { research: Research; writer: Writer | null };

/** The sentence that a caller reads where nothing answers the question. */
const UNANSWERED = {
  none: 'No page that was found answers this question.',
  weak: 'Every page that was found is unlikely to be relevant: the quotations hardly answer this question.',
};

const STAGES = { search: 'searches answered:', open: 'pages read:', choose: 'passages chosen:' };

/**
 * POST /v1/research: holds a credit per search that may run, or as many as the payer has, and uses one per successful search. Errors: 422
 * validation_error, 503 recall_unavailable.
 */
export function createResearchHandler({ research, writer }: ResearchDeps): PricedRoute['prepare'] {
  return ({ body, requestId, caller, tenant, keep, report }) => {
    const {
      startPublishedDate,
      endPublishedDate,
      store,
      record: _,
      report: asksReport,
      ...wanted
    } = parseBody(writer === null ? ResearchBody : WrittenResearchBody, body);
    const ignored = findIgnoredFields(body, KNOWN_FIELDS);
    const model = asksReport ? writer : null;
    const allowed = caller.kind === 'keyless' ? RESEARCH.searches.keylessMax : RESEARCH.searches.max;
    const maxSearches = Math.min(wanted.maxSearches, allowed);
    return {
      most: maxSearches * PRICES.researchPerSearch + (model === null ? 0 : PRICES.writtenReport),
      least: 1,
      async work(signal, credits) {
        const answer = await research({
          ...wanted,
          maxSearches: Math.min(maxSearches, Math.floor(credits / PRICES.researchPerSearch)),
          ...buildProgressOption(report),
          publishedFrom: startPublishedDate ?? null,
          publishedTo: endPublishedDate ?? null,
          signal,
          tenant,
          keep: keep && store,
        });
        const used = countSearches(answer) * PRICES.researchPerSearch;
        const part =
          model &&
          (await writeReport(model, answer, {
            task: wanted.question,
            signal,
            tenant,
            keep: keep && store,
            credits: credits - used,
          }));
        return toAnswer(answer, { question: wanted.question, requestId, ignored, part });
      },
    };
  };
}

function buildProgressOption(report: Call['report']): Pick<ResearchRequest, 'onProgress'> {
  if (report === undefined) return {};
  return { onProgress: ({ stage, done, of }) => report(`${STAGES[stage]} ${done} of ${of}`) };
}

function toAnswer(
  answer: ResearchAnswer,
  {
    question,
    requestId,
    ignored,
    part,
  }: { question: string; requestId: string; ignored: string[]; part: WrittenPart | null },
): WorkResult {
  const { facets, evidence, agreements, disagreements, searches, pages, tokens, timingsMs } = answer;
  const incomplete = listUnwritten(part);
  const used =
    countSearches(answer) * PRICES.researchPerSearch + (part?.kind === 'text' ? PRICES.writtenReport : 0);
  const seconds = Math.round((timingsMs.total ?? 0) / 100) / 10;
  const budget = { searches: searches.length, pages: pages.opened, seconds, tokens };
  return {
    used,
    cost: (credits) => ({ budget: { ...budget, credits }, ...buildCostDollars(credits) }),
    timingsMs,
    incomplete,
    headers: buildIgnoredHeader(ignored),
    body: {
      requestId,
      question,
      facets: facets.map(({ facet, query: searched, kind, found, searches: run }) => ({
        facet,
        query: searched,
        kind,
        found,
        searches: run,
      })),
      unanswered: evidence.length === 0 ? UNANSWERED.none : answer.isWeak ? UNANSWERED.weak : null,
      ...(part?.kind === 'text'
        ? {
            report: formatProse(part, `# ${question.replace(/\s+/g, ' ').trim()}`),
            statements: part.statements,
          }
        : {}),
      evidence: evidence.map((one) => toEvidence(one, facets)),
      agreements,
      disagreements,
      notFound: facets.flatMap(({ facet, why }) => (why === null ? [] : [{ facet, why }])),
      budget,
      service: {
        searches: searches.map((search) => toSearch(search)),
        pages,
        cutShort: answer.cutShort,
        ...omitNulls({ weak: answer.isWeak ? true : null }),
        timingsMs,
        ignored,
        ...buildIncompleteField(incomplete),
        ...buildWritingField(part),
      },
    },
  };
}

const countSearches = ({ searches }: ResearchAnswer): number => searches.filter(({ ok }) => ok).length;

function toEvidence(evidence: CitedEvidence, facets: ResearchAnswer['facets']): JsonObject {
  const { id, quote, url, title, publishedDay, headingPath, start, end, link, contentHash, score } = evidence;
  return {
    id,
    quote,
    url,
    title,
    publishedDate: publishedDay,
    headingPath,
    start,
    end,
    link,
    contentHash,
    facets: evidence.facets.flatMap((place) => facets[place]?.facet ?? []),
    score: roundScore(score),
  };
}

function toSearch(search: ResearchAnswer['searches'][number]): JsonObject {
  const { query: searched, ok, ms } = search;
  return omitNulls({
    query: searched,
    ok,
    ms,
    results: search.ok ? search.results.length : null,
    error: search.ok ? null : search.error,
  });
}
