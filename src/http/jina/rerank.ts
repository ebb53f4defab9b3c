import * as z from 'zod';
import { PRICES } from '../../billing/ledger/prices.ts';
import { CHARS_PER_TOKEN, RERANK } from '../../contract/limits.ts';
import type { Rerank, RerankAnswer } from '../../search/rerank.ts';
import type { JsonObject, PricedRoute } from '../calls/call.ts';
import { createWholeNumberSchema } from '../calls/field-schemas.ts';
import {
  buildIgnoredHeader,
  buildKnownFields,
  findIgnoredFields,
  parseBody,
  roundScore,
} from '../calls/wire.ts';
import { buildCostDollars } from '../v1/cost.ts';
import { query } from '../v1/wanted.ts';

const { documentsMax } = RERANK;
const RANK_FIELDS_MAX = 20;

/** Fields not listed here, such as `model`, are accepted and have no effect. */
export const RerankBody = z
  .object({
    query,
    documents: z
      .array(
        z.union([z.string(), z.record(z.string(), z.unknown())], 'must be a text or an object with a text'),
        'must be an array of texts, or of objects with a text',
      )
      .min(1, 'must have at least one document')
      .max(documentsMax, `must have at most ${documentsMax.toLocaleString('en')} documents`)
      .meta({ description: 'Texts, or objects with a `text` or the fields in `rank_fields`.' }),
    rankFields: z
      .array(z.string('must be the name of a field'), 'must be an array of names of fields')
      .min(1, 'must name at least one field')
      .max(RANK_FIELDS_MAX, `must name at most ${RANK_FIELDS_MAX} fields`)
      .optional()
      .meta({
        description:
          'Which fields of documents that are objects are ranked, in this order; by default `text`.',
      }),
    topN: createWholeNumberSchema(1)
      .optional()
      .meta({ description: 'How many documents to return; by default all.' }),
    returnDocuments: z
      .boolean('must be true or false')
      .default(true)
      .meta({ description: 'Whether each result carries its document.' }),
  })
  .superRefine(({ documents, rankFields = ['text'] }, context) => {
    const at = documents.findIndex((document) => extractRankedText(document, rankFields) === null);
    if (at === -1) return;
    const message = `must be a text or an object with ${rankFields.map((name) => `\`${name}\``).join(' or ')}`;
    context.addIssue({ code: 'custom', path: ['documents', at], message });
  });

type Document = string | JsonObject;

/** Returns the text of a document that is ranked: its named fields, one per line; null if it has none of them. */
function extractRankedText(document: Document, fields: readonly string[]): string | null {
  if (typeof document === 'string') return document;
  const texts = fields.map((name) => (Object.hasOwn(document, name) ? document[name] : undefined));
  const written = texts.filter((text) => ['string', 'number', 'boolean'].includes(typeof text)).map(String);
  return written.length === 0 ? null : written.join('\n');
}

/** The field names inside documents are the caller's own and stay unchanged. */
const VERBATIM = new Set(['documents']);

const KNOWN_FIELDS = buildKnownFields(Object.keys(RerankBody.shape));

/** POST /v1/rerank: a credit for each 100 documents begun. Errors: 422 validation_error, 503 overloaded. */
export function createRerankHandler(rerank: Rerank): PricedRoute['prepare'] {
  return ({ body, requestId, tenant }) => {
    const wanted = parseBody(RerankBody, body, { verbatim: VERBATIM });
    const { topN, returnDocuments, documents, query, rankFields } = wanted;
    const headers = buildIgnoredHeader(findIgnoredFields(body, KNOWN_FIELDS));
    const texts = documents.map((document) => extractRankedText(document, rankFields ?? ['text']) ?? '');
    /** With `rank_fields` an object is returned with all of its fields. */
    const buildDocument = (index: number): JsonObject => {
      const document = documents[index];
      return {
        text: texts[index],
        ...(rankFields === undefined || typeof document === 'string' ? {} : document),
      };
    };
    const credits = Math.ceil(texts.length / RERANK.documentsPerCredit) * PRICES.rerank;
    return {
      most: credits,
      async work(signal) {
        const answer = await rerank({ query, documents: texts, signal, tenant });
        const shown = answer.ranked.slice(0, topN ?? texts.length);
        const results = shown.map(({ index, score }) => ({
          index,
          relevance_score: roundScore(score),
          ...(returnDocuments ? { document: buildDocument(index) } : {}),
        }));
        const buildCost = (used: number): JsonObject => ({
          ...buildCostDollars(used),
          meta: { billed_units: { search_units: used } },
        });
        return {
          used: credits,
          cost: buildCost,
          headers,
          body: toBody(results, { answer, texts, query, requestId }),
        };
      },
    };
  };
}

type RerankContext = { answer: RerankAnswer; texts: string[]; query: string; requestId: string };

/** Builds the fields that clients of both Jina and Cohere read. */
function toBody(results: JsonObject[], { answer, texts, query, requestId }: RerankContext): JsonObject {
  const chars = texts.reduce((sum, text) => sum + text.length, query.length);
  const tokens = Math.ceil(chars / CHARS_PER_TOKEN);
  return {
    id: requestId,
    object: 'list',
    model: answer.judged > 0 ? 'onnx' : 'lexical',
    results,
    usage: { total_tokens: tokens, prompt_tokens: tokens },
  };
}
