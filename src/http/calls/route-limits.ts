import { Failure, fetchFailed } from '../../contract/errors.ts';
import { CALL_WAIT_MS_MAX, ROUTE_MS } from '../../contract/limits.ts';
import type { Route } from './call.ts';

type Limit = Route['limit'];

const searching = (ms: number, what: string): Limit => ({
  ms,
  late: () => new Failure('recall_unavailable', `The ${what} took too long; try again in a moment.`),
});

const overloaded = (ms: number, message: string): Limit => ({
  ms,
  late: () => new Failure('overloaded', message),
});

/** Time limit of a call by kind, and the failure returned when it runs out. */
export const LIMITS = {
  search: searching(ROUTE_MS.search, 'search'),
  similar: searching(ROUTE_MS.similar, 'search'),
  research: searching(ROUTE_MS.research, 'research'),
  page: { ms: ROUTE_MS.page, late: () => fetchFailed('timeout', 'The page took too long.') },
  /** Each page has its own timeout; this is the backstop for the whole call. */
  pages: overloaded(ROUTE_MS.page, 'The pages took too long; try again in a moment.'),
  /** Site crawls and maps normally stop before this; it is the backstop. */
  site: { ms: ROUTE_MS.site, late: () => fetchFailed('timeout', 'The site took too long.') },
  rerank: overloaded(ROUTE_MS.rerank, 'Ranking took too long; try again in a moment.'),
  /** A page that runs another route, which may wait for its turn and has its own limit. */
  play: overloaded(
    ROUTE_MS.research + CALL_WAIT_MS_MAX + 1_000,
    'The call took too long; try again in a moment.',
  ),
  /** Calls that wait for the payment provider. */
  payment: {
    ms: ROUTE_MS.payment,
    late: () => new Failure('payment_unavailable', 'The payment provider did not respond in time.'),
  },
  ledger: overloaded(ROUTE_MS.ledger, 'The ledger did not respond in time.'),
  job: overloaded(ROUTE_MS.job, 'The store of jobs did not respond in time.'),
  forget: overloaded(
    ROUTE_MS.forget,
    'The pages are still being forgotten; repeat the call to see when none is left.',
  ),
  prompt: overloaded(ROUTE_MS.prompt, 'The service did not respond in time.'),
} satisfies Record<string, Limit>;
