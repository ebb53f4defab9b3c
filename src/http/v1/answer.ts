import * as z from 'zod';
import { PRICES } from '../../billing/ledger/prices.ts';
import type { Tenant } from '../../platform/fairness/fair-queue.ts';
import { resolveDeclared } from '../../search/pages/page-details.ts';
import { ANSWER_PAGES } from '../../search/quote-from-results.ts';
import type { Search } from '../../search/search.ts';
import type { SearchAnswer, SearchResult } from '../../search/search-types.ts';
import type { PrivateSites } from '../../sites/private-sites.ts';
import type { QuotedAnswer } from '../../text/answer/candidates.ts';
import { NO_FILTERS } from '../../text/query/filters.ts';
import type { Writer } from '../../writing/writer.ts';
import type { JsonObject, PricedRoute } from '../calls/call.ts';
import { buildIgnoredHeader, buildKnownFields, findIgnoredFields } from '../calls/ignored-fields.ts';
import { buildIncompleteField, computeAnswerCredits } from '../calls/incomplete.ts';
import { omitNulls, parseBody } from '../calls/json-body.ts';
import {
  type BegunText,
  beginText,
  EVENT_HEADERS,
  formatChat,
  separateSentences,
  streamChat,
} from '../writing/chat-stream.ts';
import { limitSearch } from '../writing/search-within.ts';
import {
  buildWritingField,
  collectPassages,
  type FieldsPart,
  instructionsField,
  listUnwritten,
  NO_CREDITS,
  schemaField,
  type TextPart,
  type WrittenPart,
  writePart,
} from '../writing/write-text.ts';
import { buildWantedParts, query, wantedFields, wantsAny } from './content-fields.ts';
import { buildCostDollars } from './cost.ts';
import { chooseCollections, collectionField } from './library-fields.ts';
import { storeField } from './opening.ts';
import { recordField } from './records.ts';

export const AnswerBody = z.object({
  query,
  text: wantedFields.text.meta({ description: 'Adds the text of each cited page.' }),
  stream: z
    .boolean('must be true or false')
    .default(false)
    .meta({ description: 'Server-sent events in the framing of chat completions, ended by `data: [DONE]`.' }),
  store: storeField,
  record: recordField,
  collection: collectionField,
});

/** The fields that only a model can heed; without one they have no effect. */
export const WrittenAnswerBody = AnswerBody.extend({
  systemPrompt: instructionsField.optional().meta({
    description:
      'Wishes about the language and style of a written answer. They do not change what counts as proved.',
  }),
  outputSchema: schemaField.optional().meta({
    description:
      'A JSON schema; `answer` is then a value by it. A field that the pages do not prove is null.',
  }),
  grounding: z
    .enum(['strict', 'marked', 'quoted'], 'must be strict, marked or quoted')
    .default('strict')
    .meta({
      description:
        'strict: only proved statements; marked: the others too, marked as unproved; quoted: no written answer, but a passage of a page.',
    }),
});

type AnswerFields = z.output<typeof WrittenAnswerBody>;

const TEXT_FIELD = { text: { maxCharacters: true as const } };
const KNOWN_FIELDS = { ...buildKnownFields(Object.keys(AnswerBody.shape)), ...TEXT_FIELD };
const KNOWN_TO_MODEL = { ...buildKnownFields(Object.keys(WrittenAnswerBody.shape)), ...TEXT_FIELD };
const VERBATIM: ReadonlySet<string> = new Set(['outputSchema']);
const PASSAGES_PER_PAGE = 4;

type AnswerDeps = { search: Search; writer: Writer | null; privateSites: PrivateSites | null };

/**
 * POST /v1/answer: the passage that answers a question, verbatim, and the pages that were read for it; where the operator has set a model,
 * an answer that it wrote and that was checked against the pages. A quotation costs as much as its search, and nothing if time ran out
 * before it was found; a written answer costs more, and no more than the quotation where nothing passed the check.
 * Errors: 422 validation_error, 503 recall_unavailable.
 */
export function createAnswerHandler({ search, writer, privateSites }: AnswerDeps): PricedRoute['prepare'] {
  const searchInTime = writer === null ? search : limitSearch(search);
  return ({ body, requestId, caller, tenant, keep: mayKeep }) => {
    const wanted: AnswerFields =
      writer === null
        ? { ...parseBody(AnswerBody, body), grounding: 'quoted' }
        : parseBody(WrittenAnswerBody, body, { verbatim: VERBATIM });
    const ignored = findIgnoredFields(body, writer === null ? KNOWN_FIELDS : KNOWN_TO_MODEL);
    const keep = mayKeep && wanted.store;
    const model = wanted.grounding === 'quoted' ? null : writer;
    const contents = buildWantedParts({ text: wanted.text });
    const passages = { query: null, perUrl: PASSAGES_PER_PAGE, charsMax: null };
    const parts = model === null ? contents : { ...contents, highlights: passages };
    const most = PRICES.search + (model === null ? 0 : PRICES.writtenAnswer);
    return {
      most,
      ...(model === null ? {} : { least: 1 }),
      async work(signal, credits) {
        const chosen =
          wanted.collection === undefined
            ? null
            : await chooseCollections(privateSites, wanted.collection, { caller, tenant });
        const answer = await searchInTime({
          query: wanted.query,
          numResults: ANSWER_PAGES,
          ...NO_FILTERS,
          contents: wantsAny(parts) ? parts : null,
          answer: true,
          ...(chosen === null ? {} : { library: chosen.filter }),
          signal,
          tenant,
          keep,
        });
        const found = chosen?.restoreUrls(answer) ?? answer;
        const part =
          model === null
            ? null
            : await write(model, {
                wanted,
                found,
                signal,
                tenant,
                keep: keep && chosen === null,
                isPaid: credits >= most,
              });
        const { cache, timingsMs } = found;
        const headers = buildIgnoredHeader(ignored);
        const streamed = { cache, timingsMs, headers: { ...headers, ...EVENT_HEADERS } };
        const frame = { id: requestId };
        if (part?.kind === 'begun') {
          const body = streamChat(frame, part, (whole) => buildLastFields(found, whole));
          return { ...streamed, used: most, incomplete: found.incomplete, body };
        }
        const incomplete = [...found.incomplete, ...listUnwritten(part)];
        const answered = buildAnswer(found, part);
        const used = part !== null && hasProof(part) ? most : computeAnswerCredits(found);
        if (wanted.stream) {
          const body = formatChat(frame, answered.chunks, buildLastFields(found, part));
          return { ...streamed, used, incomplete, body };
        }
        return {
          used,
          cost: buildCostDollars,
          cache,
          timingsMs,
          incomplete,
          headers,
          body: {
            requestId,
            answer: answered.answer,
            citations: answered.citations,
            ...answered.proofs,
            service: {
              cache,
              timingsMs,
              ignored,
              ...buildIncompleteField(incomplete),
              ...buildWritingField(part),
            },
          },
        };
      },
    };
  };
}

/** Returns true if at least one statement or field of what was written is proved; only then is it paid for. */
function hasProof(part: WrittenPart): boolean {
  if (part.kind === 'none') return false;
  return part.kind === 'text'
    ? part.statements.some(({ proved }) => proved === true)
    : part.proofs.length > 0;
}

type WriteAnswerOptions = {
  wanted: AnswerFields;
  found: SearchAnswer;
  signal: AbortSignal;
  tenant: Tenant;
  keep: boolean;
  isPaid: boolean;
};

function write(
  writer: Writer,
  { wanted, found, isPaid, ...call }: WriteAnswerOptions,
): Promise<WrittenPart | BegunText> | WrittenPart {
  if (!isPaid) return NO_CREDITS;
  return (wanted.stream ? beginText : writePart)(writer, {
    task: wanted.query,
    passages: collectPassages(found.results, found.answer),
    instructions: wanted.systemPrompt,
    grounding: wanted.grounding === 'marked' ? 'marked' : 'strict',
    schema: wanted.outputSchema,
    ...call,
  });
}

/** An answer as it is shown; `proofs`: the fields that prove a written one, `chunks`: the pieces of its text in a stream. */
type CitedAnswer = { answer: unknown; citations: JsonObject[]; proofs: JsonObject; chunks: string[] };

const buildAnswer = (found: SearchAnswer, part: WrittenPart | null): CitedAnswer =>
  part === null || part.kind === 'none' ? buildQuoted(found) : buildWritten(found, part);

function buildQuoted(found: SearchAnswer): CitedAnswer {
  const answer = found.answer?.text ?? null;
  return { answer, citations: buildCitations(found), proofs: {}, chunks: answer === null ? [] : [answer] };
}

/** The pages that a written answer stands on come first, in the order of its numbers. */
function buildWritten(found: SearchAnswer, part: TextPart | FieldsPart): CitedAnswer {
  const pages = buildCitations({ ...found, answer: null });
  const numbered = part.sources
    .map(({ url }) => pages.find((page) => page.url === url))
    .filter((page) => page !== undefined);
  const citations = [...numbered, ...pages.filter((page) => !numbered.includes(page))];
  if (part.kind === 'fields') {
    const { value, proofs, unproved } = part;
    return { answer: value, citations, proofs: { proofs, unproved }, chunks: [JSON.stringify(value)] };
  }
  const chunks = separateSentences(part.sentences);
  return { answer: part.text, citations, proofs: { statements: part.statements }, chunks };
}

/** Builds what the last event of a stream says: the pages and, where a model was asked, the proofs and what became of its text. */
function buildLastFields(found: SearchAnswer, part: WrittenPart | null): JsonObject {
  const { citations, proofs } = buildAnswer(found, part);
  if (part === null) return { citations };
  const incomplete = [...found.incomplete, ...listUnwritten(part)];
  return {
    citations,
    ...proofs,
    service: { ...buildIncompleteField(incomplete), ...buildWritingField(part) },
  };
}

/** Lists the quoted page first, then the other pages that were read, in search order. */
function buildCitations({ results, answer }: Pick<SearchAnswer, 'results' | 'answer'>): JsonObject[] {
  const isQuoted = ({ url }: SearchResult): boolean => url === answer?.url;
  return [...results.filter(isQuoted), ...results.filter((result) => !isQuoted(result))].map((result) =>
    toCitation(result, isQuoted(result) ? (answer ?? null) : null),
  );
}

function toCitation(result: SearchResult, quoted: QuotedAnswer | null): JsonObject {
  const { url, title, publishedDay, author, text } = result;
  const { image, favicon } = resolveDeclared(result);
  return {
    id: url,
    url,
    title,
    publishedDate: publishedDay,
    author: author ?? null,
    ...omitNulls({ image, favicon, text }),
    ...(quoted === null ? {} : { proof: buildProof(quoted) }),
  };
}

const buildProof = ({ start, end, headingPath, link, contentHash, score }: QuotedAnswer): JsonObject => ({
  start,
  end,
  headingPath,
  link,
  contentHash,
  score,
});
