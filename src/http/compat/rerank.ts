/** The rerankers of Jina and Cohere: documents ordered by how well they match a query, with the fields that clients of both read. */

import * as z from 'zod';
import { PRICES } from '../../billing/ledger/prices.ts';
import { CHARS_PER_TOKEN, RERANK } from '../../contract/limits.ts';
import type { Rerank, RerankAnswer } from '../../search/rerank.ts';
import type { JsonObject, PricedRoute } from '../calls/call.ts';
import { createWholeNumberSchema } from '../calls/field-schemas.ts';
import { roundScore } from '../calls/json-body.ts';
import type { Operation } from '../calls/operation.ts';
import { LIMITS } from '../calls/route-limits.ts';
import { query } from '../v1/content-fields.ts';
import { buildCostDollars } from '../v1/cost.ts';
import { buildPostRoute, type CompatShape, createHandler } from './core.ts';

const { documentsMax } = RERANK;
const RANK_FIELDS_MAX = 20;

/** Fields not listed here, such as `model`, are accepted and have no effect. */
const RerankBody = z
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

/** POST /v1/rerank: a credit for each 100 documents begun. Errors: 422 validation_error, 503 overloaded. */
function createRerankHandler(rerank: Rerank): PricedRoute['prepare'] {
  return createHandler({ fields: RerankBody, verbatim: VERBATIM }, (wanted, { requestId, tenant }) => {
    const { topN, returnDocuments, documents, query, rankFields } = wanted;
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
          body: toBody(results, { answer, texts, query, requestId }),
        };
      },
    };
  });
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

const RerankAnswerBody = z
  .object({
    id: z.string(),
    object: z.literal('list'),
    model: z
      .enum(['lexical', 'onnx'])
      .meta({ description: 'What judged: the built-in scorer or the model.' }),
    results: z
      .array(
        z.object({
          index: z.int().min(0).meta({ description: 'The place of the document in the request.' }),
          relevance_score: z.number().min(0).max(1),
          document: z.looseObject({ text: z.string() }).optional(),
        }),
      )
      .meta({ description: 'Best first.' }),
    usage: z.object({ total_tokens: z.int().min(0), prompt_tokens: z.int().min(0) }),
    meta: z
      .object({ billed_units: z.object({ search_units: z.int().min(0) }) })
      .meta({ costs: true, description: 'Credits used.' }),
    costDollars: z.object({ total: z.number() }).meta({ costs: true }),
  })
  .meta({ title: 'RerankAnswer' });

const OPERATIONS: Record<string, Operation> = {
  'POST /v1/rerank': {
    id: 'rerank',
    tag: 'drop-in',
    summary: 'Rank documents',
    about: 'Orders up to 1,000 documents by how well they match a query, for clients of Jina and Cohere.',
    price: '1 credit for each 100 documents begun.',
    body: RerankBody,
    spelling: 'snake_case',
    answer: RerankAnswerBody,
    errors: ['validation_error'],
    example: {
      body: {
        query: 'Where do sanderlings breed?',
        documents: ['Sanderlings winter on sandy shores.', 'They breed in the high Arctic.'],
        top_n: 1,
      },
    },
  },
};

/** Jina and version 1 of Cohere, model servers without a version in the path, and version 2 of Cohere. */
const PATHS = ['/v1/rerank', '/rerank', '/v2/rerank'];

/** The shape of both rerankers. Its failures are the first shape's, because the clients read the status and show the text unchanged. */
export const RERANKERS: CompatShape<{ rerank: Rerank }> = {
  prefixes: [],
  errors: null,
  operations: OPERATIONS,
  buildRoutes: ({ rerank }) => [buildPostRoute(PATHS, LIMITS.rerank, createRerankHandler(rerank))],
};
