/**
 * The core that shapes of other services share. A shape is a table of fields, a translation of them into one of the
 * service's own operations, and a translation of the outcome back. It prices and fetches nothing differently. A new shape is one file
 * beside this one and one line in compat-shapes.ts.
 */

import * as z from 'zod';
import { PRICES } from '../../billing/ledger/prices.ts';
import { Failure } from '../../contract/errors.ts';
import { parseVia, VIA_HEADER } from '../../recall/sources/sanderling.ts';
import type { Search } from '../../search/search.ts';
import type { SearchAnswer, SearchRequest } from '../../search/search-types.ts';
import { NO_FILTERS } from '../../text/query/filters.ts';
import type {
  Answer,
  Call,
  FreeRoute,
  JsonObject,
  PricedRoute,
  Route,
  Task,
  WorkResult,
} from '../calls/call.ts';
import { createErrorFormat, type ErrorFormat } from '../calls/error-format.ts';
import { buildIgnoredHeader, buildKnownFields, findIgnoredFields } from '../calls/ignored-fields.ts';
import { computeSearchCredits } from '../calls/incomplete.ts';
import { parseBody } from '../calls/json-body.ts';
import type { Operation, Parameter } from '../calls/operation.ts';
import { LIMITS } from '../calls/route-limits.ts';
import { readForm } from './fields.ts';

/** The shape of another service. */
export type CompatShape<Deps> = {
  /** Owns these paths and everything below them; its failures are worded there by `errors`. */
  prefixes: readonly string[];
  /** Null: failures are worded as in the first shape, because the clients read only the status and show the text. */
  errors: ShapeErrors | null;
  buildRoutes(deps: Deps): Route[];
  /** Descriptions of the routes, by method and path. */
  operations: Readonly<Record<string, Operation>>;
  /** Descriptions of the routes that exist only where the operator has set a model. */
  modelOperations?: Readonly<Record<string, Operation>>;
  /** Operations of the other service that this one does not have. */
  missing?: MissingOperations;
  /** Operations that it has only where the operator has set a model. */
  missingWithoutModel?: MissingOperations;
};

/** The wording of a shape's failures, and the schema of their bodies. */
export type ShapeErrors = { format: ErrorFormat; body: z.ZodType };

/** Paths of missing operations, and what to use instead. */
export type MissingOperations = {
  bases: readonly string[];
  operations: readonly { why: string; names: readonly string[] }[];
};

/** The beginning of the reason why an operation is missing. */
export const NO_MODEL = 'It takes a model, which this service does not have.';

type PreparedCall = Omit<Call, 'signal'>;

/** Rules by which a call of a shape becomes fields. */
type FieldReading<Fields extends z.ZodObject> = {
  fields: Fields;
  /** The fields that hold the caller's own names. */
  verbatim?: ReadonlySet<string>;
  /** Where the fields are; absent: in the body. */
  readParameters?(call: PreparedCall): JsonObject;
  /** Finds the parameters without effect; absent: those that are not in `fields`. */
  findIgnored?(given: JsonObject, wanted: z.output<Fields>, call: PreparedCall): string[];
};

/**
 * Creates the preparation of a priced route: reads its fields, and names the parameters without effect in a header of the answer.
 * `createTask` gets the fields and their call. Throws `Failure('validation_error')`.
 */
export function createHandler<Fields extends z.ZodObject>(
  { fields, verbatim = new Set(), readParameters, findIgnored }: FieldReading<Fields>,
  createTask: (wanted: z.output<Fields>, call: PreparedCall) => Task,
): PricedRoute['prepare'] {
  const known = buildKnownFields(Object.keys(fields.shape));
  return (call) => {
    const given = readParameters?.(call) ?? call.body;
    const wanted = parseBody(fields, given, { verbatim });
    const ignored = findIgnored?.(given, wanted, call) ?? findIgnoredFields(given, known);
    const { work, ...task } = createTask(wanted, call);
    return {
      ...task,
      async work(signal, credits) {
        const result = await work(signal, credits);
        return { ...result, headers: { ...result.headers, ...buildIgnoredHeader(ignored) } };
      },
    };
  };
}

/** The query of a search and whatever differs from the usual search. */
type SearchOptions = Pick<SearchRequest, 'query' | 'numResults'> & Partial<SearchRequest>;

/** The part of an answer that a shape translates. */
type Outcome = Pick<SearchAnswer, 'results' | 'sources' | 'answer'>;

const NO_RESULTS: Outcome = { results: [], sources: {} };

/** The search of a shape. */
type SearchShape<Fields extends z.ZodObject> = FieldReading<Fields> & {
  /** Returns null for a page behind the last, which is empty and free. */
  toRequest(wanted: z.output<Fields>, call: PreparedCall): SearchOptions | null;
  toAnswer(
    outcome: Outcome,
    wanted: z.output<Fields>,
    call: PreparedCall,
  ): Pick<WorkResult, 'body' | 'headers' | 'cost'>;
  /** The credits that a search costs; absent: those of a search. */
  computeCredits?(answer: SearchAnswer, wanted: z.output<Fields>): number;
};

/** Creates the preparation of a route that searches. Errors: validation_error, recall_unavailable. */
export function createSearchHandler<Fields extends z.ZodObject<{ store: z.ZodType<boolean> }>>(
  search: Search,
  { toRequest, toAnswer, computeCredits = computeSearchCredits, ...reading }: SearchShape<Fields>,
): PricedRoute['prepare'] {
  return createHandler(reading, (wanted, call) => {
    const request = toRequest(wanted, call);
    if (request === null)
      return { most: 0, work: async () => ({ used: 0, ...toAnswer(NO_RESULTS, wanted, call) }) };
    const keep = call.keep && wanted.store;
    const via = parseVia(call.headers[VIA_HEADER]);
    return {
      most: PRICES.search,
      async work(signal) {
        const answer = await search({
          ...NO_FILTERS,
          contents: null,
          ...request,
          signal,
          tenant: call.tenant,
          keep,
          ...(via.length === 0 ? {} : { via }),
        });
        const { cache, timingsMs, incomplete } = answer;
        const used = computeCredits(answer, wanted);
        return { used, cache, timingsMs, incomplete, ...toAnswer(answer, wanted, call) };
      },
    };
  });
}

/** Builds a priced route whose fields are in a JSON body. */
export function buildPostRoute(
  paths: string[],
  limit: Route['limit'],
  prepare: PricedRoute['prepare'],
): PricedRoute {
  return { method: 'POST', paths, callers: 'payer', limit, prepare };
}

/**
 * Builds the routes of an operation whose parameters are in the query string or in a body. HEAD is not served, because it would run the
 * operation.
 */
export function buildGetAndPostRoutes(
  paths: string[],
  limit: Route['limit'],
  prepare: PricedRoute['prepare'],
): PricedRoute[] {
  const route = buildPostRoute(paths, limit, prepare);
  return [
    { ...route, method: 'GET', noHead: true },
    { ...route, readBody: readForm },
  ];
}

/** Describes fields as parameters of the query string: `about` has the description of each that is named, `q` is required. */
export function describeParameters(
  { shape }: z.ZodObject,
  about: Readonly<Record<string, string>>,
): Parameter[] {
  return Object.entries(about).flatMap(([name, text]): Parameter[] => {
    const schema = shape[name] as z.ZodType | undefined;
    if (schema === undefined) return [];
    const parameter: Parameter = { name: toSnakeCase(name), in: 'query', about: text, schema };
    return [name === 'q' ? { ...parameter, required: true } : parameter];
  });
}

/** `planCredits` -> `plan_credits` */
export const toSnakeCase = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Builds routes that explain why operations are missing: of starting, listing and showing their jobs. */
export function buildMissingRoutes({ bases, operations }: MissingOperations): FreeRoute[] {
  return operations.flatMap(({ why, names }) => {
    const paths = names.flatMap((name) => bases.map((base) => `${base}/${name}`));
    const handle = async (): Promise<never> => {
      throw new Failure('not_found', `This operation is not offered. ${why}`);
    };
    const route = { callers: 'anybody', limit: LIMITS.prompt, handle } as const;
    const listed = paths.flatMap((path) => (path.includes(':') ? [] : [path, `${path}/:job`]));
    return [
      { ...route, method: 'POST', paths },
      { ...route, method: 'GET', paths: listed },
    ];
  });
}

/** Builds an answer whose body is an array. */
export function buildJsonList(items: readonly JsonObject[]): Pick<Answer, 'body' | 'headers'> {
  return { body: JSON.stringify(items), headers: { 'content-type': 'application/json; charset=utf-8' } };
}

const REASON_CHARS_MAX = 400;
const plain = createErrorFormat(({ code, text, requestId }) => ({ error: text, code, requestId }));

/** The description of the text of a failure. */
export const failureText = z.string().meta({ description: 'What went wrong, with the link where it helps.' });

/**
 * `{error, code}`, where `error` is for people. If credits are missing, the status line repeats it: some clients of these shapes show
 * nothing else.
 */
export const PLAIN_ERRORS: ShapeErrors = {
  format: {
    ...plain,
    word(failure, circumstances) {
      const worded = plain.word(failure, circumstances);
      return worded.status === 402 ? { ...worded, statusMessage: formatReasonPhrase(worded.body) } : worded;
    },
  },
  body: z
    .object({ error: failureText, code: z.string(), requestId: z.string() })
    .meta({ title: 'PlainFailure' }),
};

/** Formats text for a status line (RFC 9112, section 4): one line of printable ASCII. */
function formatReasonPhrase(body: unknown): string {
  const { error } = body as { error: string };
  return error.replace(/[^\x20-\x7e]/g, '?').slice(0, REASON_CHARS_MAX);
}
