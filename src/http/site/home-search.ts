import type { Meter } from '../../billing/ledger/meter.ts';
import { Failure, STATUS_OF } from '../../contract/errors.ts';
import { QUERY_CHARS_MAX, RESULTS_DEFAULT } from '../../contract/limits.ts';
import type { Search } from '../../search/search.ts';
import type { SearchResult } from '../../search/search-types.ts';
import { NO_FILTERS } from '../../text/query/filters.ts';
import type { Call } from '../calls/call.ts';
import { REMAINING_HEADER } from '../calls/charged-call.ts';

/** The outcome of a search from the start page. */
export type Searched =
  | { kind: 'found'; results: SearchResult[]; ms: number; remaining: number | null }
  | { kind: 'refused'; code: Failure['code']; status: number; message: string };

export type HomeSearchDeps = { search: Search; meter: Pick<Meter, 'beginCharge'> };

/** Failures that the start page explains itself; all others get an error page. */
const OWN_WORDS = new Set<Failure['code']>(['keyless_limit', 'recall_unavailable', 'validation_error']);

/** Searches for a person. Counts like any other request without a key. */
export async function homeSearch(
  { search, meter }: HomeSearchDeps,
  {
    caller,
    requestId,
    signal,
    tenant,
    keep,
    query,
  }: { query: string } & Pick<Call, 'caller' | 'requestId' | 'signal' | 'tenant' | 'keep'>,
): Promise<Searched> {
  try {
    const charge = await meter.beginCharge(caller, requestId);
    if ([...query].length > QUERY_CHARS_MAX)
      throw new Failure(
        'validation_error',
        `A question may have up to ${QUERY_CHARS_MAX.toLocaleString('en')} characters.`,
      );
    const { results, timingsMs } = await search({
      query,
      numResults: RESULTS_DEFAULT,
      ...NO_FILTERS,
      contents: { text: null, highlights: { query: null, perUrl: 1, charsMax: null }, pruned: null },
      signal,
      tenant,
      keep,
    });
    const ms = Math.round(timingsMs.total ?? 0);
    return { kind: 'found', results, ms, remaining: await charge.remaining() };
  } catch (error) {
    if (!(error instanceof Failure) || !OWN_WORDS.has(error.code)) throw error;
    return { kind: 'refused', code: error.code, status: STATUS_OF[error.code], message: error.message };
  }
}

/** The headers that a program would get for the same call. */
export function searchedHeaders(searched: Searched): Record<string, string> {
  if (searched.kind === 'found')
    return searched.remaining === null ? {} : { [REMAINING_HEADER]: String(searched.remaining) };
  return searched.code === 'keyless_limit' ? { [REMAINING_HEADER]: '0' } : {};
}
