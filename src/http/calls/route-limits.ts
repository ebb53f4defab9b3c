import { createFetchFailure, Failure } from '../../contract/errors.ts';
import { CALL_WAIT_MS_MAX, ROUTE_MS } from '../../contract/limits.ts';
import type { Route } from './call.ts';

type Limit = Route['limit'];

const createSearchLimit = (ms: number, what: string): Limit => ({
  ms,
  late: () => new Failure('recall_unavailable', `The ${what} took too long; try again in a moment.`),
});

const createOverloadLimit = (ms: number, message: string): Limit => ({
  ms,
  late: () => new Failure('overloaded', message),
});

/** Time limit of a call by kind, and the failure returned when it runs out. */
export const LIMITS = {
  search: createSearchLimit(ROUTE_MS.search, 'search'),
  similar: createSearchLimit(ROUTE_MS.similar, 'search'),
  research: createSearchLimit(ROUTE_MS.research, 'research'),
  page: { ms: ROUTE_MS.page, late: () => createFetchFailure('timeout', 'The page took too long.') },
  /** Each page has its own timeout; this is the backstop for the whole call. */
  pages: createOverloadLimit(ROUTE_MS.page, 'The pages took too long; try again in a moment.'),
  /** Site crawls and maps normally stop before this; it is the backstop. */
  site: { ms: ROUTE_MS.site, late: () => createFetchFailure('timeout', 'The site took too long.') },
  rerank: createOverloadLimit(ROUTE_MS.rerank, 'Ranking took too long; try again in a moment.'),
  /** A page that runs another route, which may wait for its turn and has its own limit. */
  play: createOverloadLimit(
    ROUTE_MS.research + CALL_WAIT_MS_MAX + 1_000,
    'The call took too long; try again in a moment.',
  ),
  /** Calls that wait for the payment provider. */
  payment: {
    ms: ROUTE_MS.payment,
    late: () => new Failure('payment_unavailable', 'The payment provider did not respond in time.'),
  },
  ledger: createOverloadLimit(ROUTE_MS.ledger, 'The ledger did not respond in time.'),
  job: createOverloadLimit(ROUTE_MS.job, 'The store of jobs did not respond in time.'),
  forget: createOverloadLimit(
    ROUTE_MS.forget,
    'The pages are still being forgotten; repeat the call to see when none is left.',
  ),
  prompt: createOverloadLimit(ROUTE_MS.prompt, 'The service did not respond in time.'),
} satisfies Record<string, Limit>;

/** For what comes after a late model: the call still gives its quotation. */
const AFTER_WRITING_MS = 3_000;

/** Extends the limit of a call by the time that the operator's model may take to write a part of its answer. */
export function addWritingTime(limit: Limit, writer: { timeoutMs: number } | null): Limit {
  return writer === null ? limit : { ...limit, ms: limit.ms + writer.timeoutMs + AFTER_WRITING_MS };
}
