import * as z from 'zod';
import { PRICES } from '../../billing/ledger/prices.ts';
import { CHARS_PER_TOKEN, RERANK } from '../../contract/limits.ts';
import type { Rerank, RerankAnswer } from '../../search/rerank.ts';
import type { JsonObject, PricedRoute } from '../calls/call.ts';
import { ignoredFields, ignoredHeader, knownFields } from '../calls/ignored-fields.ts';
import { roundScore } from '../calls/present.ts';
import { wholeNumber } from '../calls/whole-number.ts';
import { parseBody } from '../calls/wire.ts';
import { costDollars } from '../v1/cost.ts';
import { query } from '../v1/wanted.ts';

const { documentsMax } = RERANK;

/** Fields not listed here, such as `model`, are accepted and have no effect. */
export const RerankBody = z.object({
  query,
  documents: z
    .array(
      z.union([z.string(), z.looseObject({ text: z.string() })], 'must be a text or an object with a text'),
      'must be an array of texts, or of objects with a text',
    )
    .min(1, 'must have at least one document')
    .max(documentsMax, `must have at most ${documentsMax.toLocaleString('en')} documents`)
    .meta({ description: 'Texts, or objects with a `text`.' }),
  topN: wholeNumber(1).optional().meta({ description: 'How many documents to return; by default all.' }),
  returnDocuments: z
    .boolean('must be true or false')
    .default(true)
    .meta({ description: 'Whether each result carries its document.' }),
});

const KNOWN_FIELDS = knownFields(Object.keys(RerankBody.shape));

/** POST /v1/rerank: a credit for each 100 documents begun. Errors: 422 validation_error, 503 overloaded. */
export function rerankHandler(rerank: Rerank): PricedRoute['prepare'] {
  return ({ body, requestId, tenant }) => {
    const { topN, returnDocuments, documents, query } = parseBody(RerankBody, body);
    const headers = ignoredHeader(ignoredFields(body, KNOWN_FIELDS));
    const texts = documents.map((document) => (typeof document === 'string' ? document : document.text));
    const credits = Math.ceil(texts.length / RERANK.documentsPerCredit) * PRICES.rerank;
    return {
      most: credits,
      async work(signal) {
        const answer = await rerank({ query, documents: texts, signal, tenant });
        const shown = answer.ranked.slice(0, topN ?? texts.length);
        const results = shown.map(({ index, score }) => ({
          index,
          relevance_score: roundScore(score),
          ...(returnDocuments ? { document: { text: texts[index] } } : {}),
        }));
        const cost = (used: number): JsonObject => ({
          ...costDollars(used),
          meta: { billed_units: { search_units: used } },
        });
        return { used: credits, cost, headers, body: toBody(results, { answer, texts, query, requestId }) };
      },
    };
  };
}

type Ranked = { answer: RerankAnswer; texts: string[]; query: string; requestId: string };

/** The fields that clients of either origin of the shape read. */
function toBody(results: JsonObject[], { answer, texts, query, requestId }: Ranked): JsonObject {
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
