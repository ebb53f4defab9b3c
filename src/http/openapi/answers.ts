import * as z from 'zod';
import { PACK_NAMES } from '../../billing/ledger/prices.ts';
import { LIBRARY_PAGE_KINDS } from '../../libraries/library-types.ts';
import { MATCHES } from '../../libraries/search/library-names.ts';
import { READ_ROUTES } from '../../pages/article.ts';
import { STRUCTURES } from '../../pages/extract/completeness.ts';
import { LATE_PARTS } from '../../search/late-parts.ts';
import { writing, writtenProofs } from '../writing/proof-schemas.ts';
import {
  contentHash,
  context,
  extraParts,
  parts,
  place,
  proofs,
  recordId,
  score,
  weak,
} from './page-schemas.ts';

/** Response schemas of the first shape. The tests check every response against them. */

const url = z.string().meta({ description: 'The URL of the page.' });
const requestId = z.string().meta({ description: 'Identifies this call in the service log.' });
const whole = z.int().min(0);

const cost = z
  .object({ total: z.number().min(0) })
  .meta({ costs: true, description: 'Cost in USD: credits used, at 0.001 USD each.' });

const sourceReport = z.looseObject({
  ok: z.boolean(),
  ms: z.number().min(0),
  results: whole.optional(),
  error: z.string().optional(),
});

const ignored = z.array(z.string()).meta({ description: 'Request fields that had no effect.' });

const latePart = z.enum(LATE_PARTS);

const incomplete = z.array(latePart).optional().meta({
  description:
    'What was left out for lack of time on the side of the server; absent if nothing was. The next call may get it: an incomplete answer is never cached.',
});

const rebuildState = z
  .object({ state: z.literal('rebuilding'), pages: whole, of: whole })
  .optional()
  .meta({
    description: 'Present while the local index is being rebuilt; searches find only `pages` of its pages.',
  });

const origins = z
  .array(
    z.object({
      url,
      source: z.string().meta({ description: 'The corpus that the page was imported from.' }),
      licence: z
        .string()
        .nullable()
        .meta({ description: 'The licence of the corpus, or null if it states none.' }),
    }),
  )
  .optional()
  .meta({ description: 'The corpora of results that were imported; absent if none was.' });

const library = z.string().meta({ description: 'Such as `npm:fastify`.' });
const version = z.string();
const kind = z.enum(LIBRARY_PAGE_KINDS);
const licence = z.string().nullable().meta({ description: 'As the package states it, or null.' });
const sourceUrl = z.string().meta({ description: 'Where the page is at this version.' });

const chosenLibraries = z
  .array(
    z.object({
      library,
      version,
      by: z
        .enum(['asked', 'project', 'newest'])
        .meta({ description: 'Why this version: asked for, in the lock file of `project`, or the newest.' }),
    }),
  )
  .meta({ description: 'The libraries that were searched.' });

const libraryNotes = z.array(z.string()).meta({
  description: 'What to know about the names: that another spelling was meant, or several libraries.',
});

/** POST /v1/search and /v1/findSimilar. */
export const SearchAnswerBody = z
  .object({
    requestId,
    results: z.array(
      z.looseObject({
        id: z.string().meta({ description: 'Same as `url`; `/v1/contents` accepts it in `ids`.' }),
        url,
        title: z.string(),
        score: score.meta({ description: 'Relevance; comparable only within one response.' }),
        weak,
        publishedDate: z.string().nullable().meta({ description: 'YYYY-MM-DD, or null when unknown.' }),
        library: z
          .object({ library, version, kind, licence, url: sourceUrl })
          .optional()
          .meta({ description: 'What the page documents; only in searches by library.' }),
        ...parts,
        ...proofs,
        ...extraParts,
      }),
    ),
    context,
    recordId,
    costDollars: cost,
    searchTimeMs: whole,
    searchTime: whole,
    service: z.looseObject({
      cache: z.enum(['miss', 'hit', 'stale']),
      timingsMs: z.record(z.string(), z.number()),
      tokens: z.looseObject({ raw: whole, output: whole }),
      sources: z.record(z.string(), sourceReport),
      ignored,
      incomplete,
      index: rebuildState,
      origins,
      libraries: chosenLibraries.optional(),
      notes: libraryNotes.optional(),
      filters: z.record(z.string(), z.looseObject({})),
    }),
  })
  .meta({ title: 'SearchAnswer' });

/** GET /v1/libraries. */
export const LibrariesBody = z
  .object({
    requestId,
    libraries: z
      .array(
        z.object({
          id: z.string().meta({ description: 'Such as `/npm/fastify`; `library` accepts it.' }),
          library,
          versions: z.array(version).meta({ description: 'All that are held, the newest first.' }),
          pages: whole.meta({ description: 'Pages of the newest version.' }),
          licence,
          homepage: z.string().nullable().meta({ description: 'As the package states it, or null.' }),
          repository: z.string().nullable().meta({ description: 'As the package states it, or null.' }),
          private: z
            .boolean()
            .meta({ description: 'Whether it is from a registry or a folder that is not public.' }),
          match: z
            .enum(MATCHES)
            .meta({ description: 'How the name fits: exactly, as another name, as a part, or with a slip.' }),
        }),
      )
      .meta({ description: 'The libraries that the name may mean, the best first.' }),
    total: whole.meta({ description: 'How many there are, also those that are not shown.' }),
  })
  .meta({ title: 'Libraries' });

/** POST /v1/parse. */
export const ParseAnswerBody = z
  .object({
    requestId,
    title: z.string(),
    markdown: z.string().meta({ description: 'The text of the file, or of its parts that belong to `q`.' }),
    author: z.string().nullable(),
    publishedDate: z.string().nullable().meta({ description: 'The day that the file states.' }),
    language: z.string().nullable(),
    tokens: z
      .object({ raw: whole, output: whole })
      .meta({ description: 'Of the whole file, and of `markdown`: a quarter of the characters.' }),
    costDollars: cost,
    service: z.looseObject({ ignored, incomplete }),
  })
  .meta({ title: 'ParsedFile' });

/** POST /v1/libraries/search. */
export const DocsAnswerBody = z
  .object({
    requestId,
    passages: z
      .array(
        z.object({
          title: z.string(),
          headingPath: z.array(z.string()).meta({ description: 'The headings above its end.' }),
          markdown: z.string().meta({ description: 'Verbatim; no paragraph, table or code is cut.' }),
          score,
          library,
          version,
          kind,
          licence,
          url: sourceUrl,
        }),
      )
      .meta({ description: 'The best first.' }),
    libraries: chosenLibraries,
    notes: libraryNotes,
    costDollars: cost,
    service: z.looseObject({ cache: z.enum(['miss', 'hit', 'stale']), ignored, incomplete }),
  })
  .meta({ title: 'DocsAnswer' });

/** POST /v1/answer. */
export const QuotedAnswerBody = z
  .object({
    requestId,
    answer: z
      .union([z.string(), z.looseObject({}), z.array(z.unknown())])
      .nullable()
      .meta({
        description:
          'A passage quoted from a page, or null if none is likely to answer, or if `service.incomplete` names it. Where the service has a model: an answer that it wrote and that was checked, with the numbers of its citations, or a value by `outputSchema`.',
      }),
    ...writtenProofs,
    citations: z
      .array(
        z.looseObject({
          id: z.string(),
          url,
          title: z.string(),
          publishedDate: z.string().nullable(),
          author: z.string().nullable(),
          image: z.string().optional(),
          favicon: z.string().optional(),
          text: parts.text,
          proof: z
            .object({ ...place, contentHash, score })
            .optional()
            .meta({ description: 'Where the answer is on the page; only on the quoted one.' }),
        }),
      )
      .meta({ description: 'The quoted page, then the others that were read.' }),
    recordId,
    costDollars: cost,
    service: z.looseObject({ cache: z.enum(['miss', 'hit', 'stale']), ignored, incomplete, writing }),
  })
  .meta({ title: 'Answer' });

const KEPT_AND_FOUND: Record<(typeof STRUCTURES)[number], string> = {
  tables: 'Tables of data',
  rows: 'Rows of these tables',
  code: 'Blocks of code',
  formulas: 'Formulas',
  figures: 'Pictures in figures',
  items: 'Items of lists',
  sections: 'Headings',
  words: 'Words',
};
const countOfStructure = Object.fromEntries(
  STRUCTURES.map((kind) => [
    kind,
    z
      .tuple([z.int().min(0), z.int().min(0)])
      .meta({ description: `${KEPT_AND_FOUND[kind]}: kept and found.` }),
  ]),
);

/** POST /v1/contents. */
export const ContentsAnswerBody = z
  .looseObject({
    requestId,
    results: z.array(
      z.looseObject({
        id: z.string(),
        url,
        title: z.string(),
        publishedDate: z.string().optional(),
        ...parts,
        ...proofs,
        ...extraParts,
      }),
    ),
    context,
    recordId,
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
      .meta({ description: 'The outcome of each URL, in request order.' }),
    service: z.looseObject({
      ignored,
      incomplete,
      incompletePages: z
        .array(z.object({ url, parts: z.array(latePart) }))
        .optional()
        .meta({ description: 'The pages without some of their requested parts, which are free.' }),
      routes: z
        .array(z.enum(READ_ROUTES))
        .optional()
        .meta({ description: 'How the text of each result was obtained, in result order.' }),
      completeness: z.array(z.looseObject(countOfStructure).nullable()).optional().meta({
        description:
          'How much of the structure that each page shows is in its text, in result order: kept and found for each kind, and the words that were left out on purpose in `leftOut`. Null where the text does not come from the markup of a web page.',
      }),
    }),
  })
  .meta({ title: 'ContentsAnswer' });

/** POST /v1/verify. */
export const VerifyAnswerBody = z
  .object({
    requestId,
    url,
    contentHash,
    changed: z.boolean().meta({ description: 'Whether the page has changed since it was quoted.' }),
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
      .meta({ description: 'One per quotation, in request order.' }),
    costDollars: cost,
  })
  .meta({ title: 'VerifyAnswer' });

/** POST /v1/verify with a text. */
export const VerifiedTextBody = z
  .object({
    requestId,
    statements: z
      .array(
        z.object({
          text: z.string(),
          verdict: z
            .enum(['supported', 'contradicted', 'not_found', 'not_cited', 'not_opened'])
            .meta({ description: 'What the cited pages say about the statement.' }),
          page: z
            .object({
              url,
              quote: z.string(),
              link: z.string().meta({ description: 'Opens the page at the quotation.' }),
            })
            .nullable()
            .meta({ description: 'The page that decides, with its words; null for the other verdicts.' }),
          problems: z
            .array(
              z.object({
                kind: z.string().meta({ description: 'number, unit, date, name, negation, role or words.' }),
                text: z.string(),
              }),
            )
            .meta({ description: 'What the page has otherwise.' }),
          byModel: z
            .literal(true)
            .optional()
            .meta({ description: "The service's model found the quotation; the rules agree." }),
        }),
      )
      .meta({ description: 'The sentences of the text, in order.' }),
    counts: z.record(z.string(), whole).meta({ description: 'Statements by verdict.' }),
    pages: z
      .object({
        opened: z.array(z.string()).meta({ description: 'The pages that were read.' }),
        failed: z
          .array(z.object({ url, reason: z.string().meta({ description: 'Why it could not be read.' }) }))
          .meta({ description: 'The pages that could not be read.' }),
      })
      .meta({ description: 'The cited pages.' }),
    service: z.object({ incomplete }).optional(),
    costDollars: cost,
  })
  .meta({ title: 'VerifiedText' });

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
    burn_rate_per_day: z
      .number()
      .min(0)
      .meta({ description: 'Average credits used per day over the last 7 days.' }),
    limits: z
      .object({
        per_minute: whole.nullable(),
        per_day: whole.nullable().meta({ description: 'Calls per UTC day.' }),
        calls_today: whole.nullable(),
        expires_at: z.string().nullable(),
      })
      .optional()
      .meta({ description: 'Only for a key that the operator of this server limits.' }),
  })
  .meta({ title: 'Balance' });

/** POST /v1/keys/free. */
export const FreeKeyBody = z
  .object({ apiKey: z.string().meta({ description: 'Shown only once.' }), credits: whole })
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
export const HealthBody = z
  .object({
    status: z.string(),
    requestId,
    index: rebuildState,
    load: z
      .enum(['shedding'])
      .describe('Present while some calls are refused for want of room; the server is ready all the same.')
      .optional(),
    opensearch: z
      .enum(['reachable', 'unreachable'])
      .describe('How the cluster with the index is. Absent where the index is a file.')
      .optional(),
  })
  .meta({ title: 'Health' });

export const ForgottenBody = z
  .object({
    pages: whole.meta({ description: 'Pages deleted from the index.' }),
    copies: whole.meta({ description: 'Copies deleted from the page cache.' }),
    addresses: whole.meta({ description: 'Addresses deleted from the frontiers of crawls.' }),
    requestId,
  })
  .meta({ title: 'Forgotten' });

/** GET /tools.json. */
export const FunctionsBody = z
  .array(
    z
      .object({
        type: z.literal('function'),
        function: z.object({
          name: z.string(),
          description: z.string(),
          parameters: z.looseObject({}).meta({ description: 'JSON Schema of the arguments.' }),
        }),
      })
      .meta({ title: 'ToolDefinition' }),
  )
  .meta({ title: 'Functions' });

/** Error body of the first shape; a 422 adds the invalid fields. */
export const FailureBody = z
  .looseObject({
    error: z.string().meta({ description: 'The error code.' }),
    message: z.string().optional(),
    requestId: z.string().optional(),
    details: z.array(z.object({ field: z.string(), message: z.string() })).optional(),
  })
  .meta({ title: 'Failure' });

/** The 402 body of the first shape. */
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

/** Error body of the second shape. */
export const SecondShapeFailureBody = z
  .looseObject({ detail: z.object({ error: z.string() }) })
  .meta({ title: 'SecondShapeFailure' });
