import { z } from 'zod';
import { ResearchBody } from '../v1/research.ts';
import type { Operation } from './operation.ts';

const whole = z.int().min(0);
const place = {
  start: whole.meta({ description: 'Where it begins in the Markdown of the page.' }),
  end: whole,
  headingPath: z.array(z.string()).meta({ description: 'The headings above it.' }),
  link: z.string().meta({ description: 'Opens the page where it stands.' }),
  contentHash: z.string().meta({ description: "SHA-256 of the page's Markdown." }),
};
const ids = z.array(z.string());

/** POST /v1/research. */
const ResearchAnswerBody = z
  .looseObject({
    requestId: z.string(),
    question: z.string(),
    facets: z.array(
      z.looseObject({ facet: z.string(), query: z.string(), kind: z.string(), found: ids, searches: whole }),
    ),
    evidence: z
      .array(
        z.looseObject({
          id: z.string(),
          quote: z.string(),
          url: z.string(),
          title: z.string(),
          publishedDate: z.string().nullable(),
          ...place,
          facets: ids,
          score: z.number().min(0).max(1),
        }),
      )
      .meta({ description: 'Passages that stand on the pages word for word.' }),
    agreements: z.array(z.looseObject({ what: z.string(), value: z.string(), sources: ids })),
    disagreements: z.array(
      z.looseObject({
        what: z.string(),
        values: z.array(z.looseObject({ value: z.string(), sources: ids })),
      }),
    ),
    notFound: z.array(z.object({ facet: z.string(), why: z.string() })),
    budget: z.object({
      searches: whole,
      pages: whole,
      seconds: z.number().min(0),
      credits: whole,
      tokens: whole,
    }),
    costDollars: z.object({ total: z.number().min(0) }),
    service: z.looseObject({}),
  })
  .meta({ title: 'ResearchAnswer' });

/** Evidence for a question. */
export const EVIDENCE_OPERATIONS: Record<string, Operation> = {
  'POST /v1/research': {
    id: 'research',
    tag: 'research',
    summary: 'Gather evidence for a question',
    about:
      'Splits the question into facets, searches each, reads the pages and returns quotations, where sources agree and disagree, and what was not found. No model writes anything. 1 credit for each search that answers.',
    body: ResearchBody,
    answer: ResearchAnswerBody,
    errors: ['validation_error', 'recall_unavailable'],
    example: { body: { question: 'When was the Eiffel Tower built, and how tall is it?', maxSearches: 3 } },
  },
};
