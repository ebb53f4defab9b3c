import { z } from 'zod';
import type { Operation } from '../calls/operation.ts';
import { RerankBody } from './rerank.ts';

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
          document: z.object({ text: z.string() }).optional(),
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

/** The operations in the shapes of Jina. */
export const JINA_OPERATIONS: Record<string, Operation> = {
  'POST /v1/rerank': {
    id: 'rerank',
    tag: 'drop-in',
    summary: 'Rank documents',
    about: 'Orders up to 1,000 documents by how well they match a query, for clients of Jina and Cohere.',
    price: '1 credit for each 100 documents begun.',
    body: RerankBody,
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
