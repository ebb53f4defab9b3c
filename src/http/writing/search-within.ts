import { ROUTE_MS } from '../../contract/limits.ts';
import { runWithTimeout } from '../../platform/clock.ts';
import type { Search } from '../../search/search.ts';
import { LIMITS } from '../calls/route-limits.ts';

/**
 * Limits a search to the time of a call without a model, so that the rest is left for writing. Throws the failure of a late search.
 */
export const limitSearch =
  (search: Search): Search =>
  async (request) => {
    try {
      return await runWithTimeout({ signal: request.signal, ms: ROUTE_MS.search }, (signal) =>
        search({ ...request, signal }),
      );
    } catch (error) {
      if (error instanceof DOMException && error.name === 'TimeoutError' && !request.signal.aborted)
        throw LIMITS.search.late();
      throw error;
    }
  };
