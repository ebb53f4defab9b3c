import { z } from 'zod';
import { PACK_NAMES } from '../../billing/ledger/prices.ts';

/** The answers of the first shape as callers read them; every answer of the tests is held against them. */

const url = z.string().meta({ description: 'Address of the page.' });
const requestId = z.string().meta({ description: 'Names this call in the log of the service.' });
const whole = z.int().min(0);
const score = z.number().min(0).max(1);

const parts = {
  text: z.string().optional().meta({ description: 'The page as Markdown; only when asked for.' }),
  highlights: z
    .array(z.string())
    .optional()
    .meta({ description: 'Passages of 400 to 700 characters of Markdown, best first; only when asked for.' }),
  highlightScores: z.array(score).optional().meta({ description: 'A score for each highlight.' }),
  prunedContext: z
    .string()
    .optional()
    .meta({ description: 'The page reduced to what bears on the query; only when asked for.' }),
};

const place = {
  start: whole
    .nullable()
    .meta({ description: "Offset into the page's Markdown; null when it is not there." }),
  end: whole.nullable(),
  headingPath: z
    .array(z.string())
    .nullable()
    .meta({ description: 'The headings above it, outermost first.' }),
  link: z.string().nullable().meta({ description: 'Opens the page where it stands (a text fragment).' }),
};
const contentHash = z.string().meta({ description: "SHA-256 of the page's Markdown." });
const proofs = {
  highlightProofs: z
    .array(z.looseObject(place))
    .optional()
    .meta({ description: 'For each highlight where it stands; absent where the page was not opened.' }),
  prunedProofs: z.array(z.looseObject(place)).optional().meta({
    description:
      'For each stretch of the page in `prunedContext` where it stands; absent where the page was not opened.',
  }),
  contentHash: contentHash.optional(),
};

const cost = z
  .object({ total: z.number().min(0) })
  .meta({ description: 'Credits used, at 0.001 USD a credit.' });

const sourceReport = z.looseObject({
  ok: z.boolean(),
  ms: z.number().min(0),
  results: whole.optional(),
  error: z.string().optional(),
});

const ignored = z.array(z.string()).meta({ description: 'Fields of the request that had no effect.' });

/** POST /v1/search and /v1/findSimilar. */
export const SearchAnswerBody = z
  .object({
    requestId,
    results: z.array(
      z.looseObject({
        id: z.string().meta({ description: 'The address again; contents take it as an id.' }),
        url,
        title: z.string(),
        score: score.meta({ description: 'Relevance, comparable within one answer.' }),
        publishedDate: z.string().nullable().meta({ description: 'YYYY-MM-DD, or null when unknown.' }),
        ...parts,
        ...proofs,
      }),
    ),
    costDollars: cost,
    searchTimeMs: whole,
    searchTime: whole,
    service: z.looseObject({
      cache: z.enum(['miss', 'hit', 'stale']),
      timingsMs: z.record(z.string(), z.number()),
      tokens: z.looseObject({ raw: whole, output: whole }),
      sources: z.record(z.string(), sourceReport),
      ignored,
      filters: z.record(z.string(), z.looseObject({})),
    }),
  })
  .meta({ title: 'SearchAnswer' });

/** POST /v1/contents. */
export const ContentsAnswerBody = z
  .looseObject({
    requestId,
    results: z.array(
      z.looseObject({
        id: z.string(),
        url,
        title: z.string(),
        author: z.string().optional(),
        publishedDate: z.string().optional(),
        ...parts,
        ...proofs,
      }),
    ),
    costDollars: cost,
    statuses: z
      .array(
        z.looseObject({
          id: z.string(),
          status: z.enum(['success', 'error']),
          source: z.enum(['crawled', 'cached']),
          error: z.looseObject({ tag: z.string(), httpStatusCode: z.int().nullable() }).optional(),
        }),
      )
      .meta({ description: 'What became of each address, in the order of the request.' }),
    service: z.looseObject({ ignored }),
  })
  .meta({ title: 'ContentsAnswer' });

/** POST /v1/verify. */
export const VerifyAnswerBody = z
  .object({
    requestId,
    url,
    contentHash,
    changed: z.boolean().meta({ description: 'Whether the page is another than the one that was quoted.' }),
    results: z
      .array(
        z.object({
          quote: z.string(),
          found: z.enum(['exact', 'normalized', 'no']),
          ...place,
          contentHash,
          changed: z.boolean(),
        }),
      )
      .meta({ description: 'One for each quotation, in the order of the request.' }),
    costDollars: cost,
  })
  .meta({ title: 'VerifyAnswer' });

/** GET /v1/balance and POST /v1/billing/auto-reload. */
export const BalanceBody = z
  .object({
    credits: whole,
    auto_reload: z.object({
      enabled: z.boolean(),
      threshold: whole,
      pack: z.enum(PACK_NAMES),
      monthly_max_usd: z.number().min(0),
      spent_this_month_usd: z.number().min(0),
      last_error: z.string().nullable(),
    }),
    burn_rate_per_day: z.number().min(0).meta({ description: 'Average over the last 7 days.' }),
  })
  .meta({ title: 'Balance' });

/** POST /v1/keys/free. */
export const FreeKeyBody = z
  .object({ apiKey: z.string().meta({ description: 'Shown this once.' }), credits: whole })
  .meta({ title: 'FreeKey' });

/** GET /v1/sources. */
export const SourcesBody = z
  .object({
    sources: z.array(
      z.looseObject({
        name: z.string(),
        about: z.string(),
        scope: z.enum(['index', 'web', 'field']),
        state: z.enum(['on', 'off']),
        breaker: z.string(),
        calls: whole,
        successShare: z.number().nullable(),
      }),
    ),
  })
  .meta({ title: 'Sources' });

/** GET /healthz and /readyz. */
export const HealthBody = z.object({ status: z.string(), requestId }).meta({ title: 'Health' });

/** Every failure of the first shape; 402 carries the offer, 422 the fields. */
export const FailureBody = z
  .looseObject({
    error: z.string().meta({ description: 'The code.' }),
    message: z.string().optional(),
    requestId: z.string().optional(),
    details: z.array(z.object({ field: z.string(), message: z.string() })).optional(),
  })
  .meta({ title: 'Failure' });

/** 402 of the first shape. */
export const PaymentRequiredBody = z
  .looseObject({
    error: z.enum(['insufficient_credits', 'keyless_limit']),
    message: z.string(),
    checkout_url: z.string(),
    pricing: z.looseObject({ usd_per_credit: z.number() }),
    packs: z.array(
      z.object({
        pack: z.enum(PACK_NAMES),
        price_usd: z.number(),
        credits: whole,
        url: z.string(),
      }),
    ),
    action: z.object({ type: z.literal('payment_link'), url: z.string(), prompt_to_user: z.string() }),
  })
  .meta({ title: 'PaymentRequired' });

/** Every failure of the second shape. */
export const SecondShapeFailureBody = z
  .looseObject({ detail: z.object({ error: z.string() }) })
  .meta({ title: 'SecondShapeFailure' });
