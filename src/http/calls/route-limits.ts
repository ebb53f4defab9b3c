import { Failure, fetchFailed } from '../../contract/errors.ts';
import { ROUTE_MS } from '../../contract/limits.ts';
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

/** How long a call may take, and the failure when its time is up. */
export const LIMITS = {
  search: searching(ROUTE_MS.search, 'search'),
  similar: searching(ROUTE_MS.similar, 'search'),
  research: searching(ROUTE_MS.research, 'research'),
  page: { ms: ROUTE_MS.page, late: () => fetchFailed('timeout', 'The page took too long.') },
  /** Each of several pages fails alone, in its own time; this is for a call that does not keep to it. */
  pages: overloaded(ROUTE_MS.page, 'The pages took too long; try again in a moment.'),
  /** Site crawls and maps end by themselves before; this is for one that does not. */
  site: { ms: ROUTE_MS.site, late: () => fetchFailed('timeout', 'The site took too long.') },
  ledger: overloaded(ROUTE_MS.ledger, 'The accounts do not answer in time.'),
  prompt: overloaded(ROUTE_MS.prompt, 'The service does not answer in time.'),
} satisfies Record<string, Limit>;
