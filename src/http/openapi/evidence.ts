import { z } from 'zod';
import { ResearchBody } from '../v1/research.ts';
import { VerifyBody } from '../v1/verify.ts';
import type { Operation } from './operation.ts';

const whole = z.int().min(0);
const place = {
  start: whole.nullable().meta({ description: 'Where it begins in the Markdown of the page.' }),
  end: whole.nullable(),
  headingPath: z.array(z.string()).nullable().meta({ description: 'The headings above it.' }),
  link: z.string().nullable().meta({ description: 'Opens the page where it stands.' }),
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

/** POST /v1/verify. */
const VerifyAnswerBody = z
  .looseObject({
    requestId: z.string(),
    url: z.string(),
    contentHash: z.string(),
    changed: z.boolean().meta({ description: 'The page is not the one that the given hash belongs to.' }),
    results: z.array(
      z.looseObject({ quote: z.string(), found: z.enum(['exact', 'normalized', 'no']), ...place }),
    ),
    costDollars: z.object({ total: z.number().min(0) }),
  })
  .meta({ title: 'VerifyAnswer' });

/** Evidence for a question, and the proof of a quotation. */
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
  'POST /v1/verify': {
    id: 'verify',
    tag: 'research',
    summary: 'Check a quotation',
    about:
      'Tells whether quotations stand on a page, and where. Free; without a key it counts as one of the requests of the day.',
    body: VerifyBody,
    answer: VerifyAnswerBody,
    errors: ['validation_error', 'url_not_allowed', 'fetch_failed'],
    example: { body: { url: 'https://example.org/', quote: 'Example Domain' } },
  },
};
