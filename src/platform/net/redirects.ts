import { createFetchFailure, Failure } from '../../contract/errors.ts';
import type { ExchangeResponse } from './exchange.ts';
import type { CheckUrl } from './fetch-types.ts';

/** The outcome of one request: a redirect, or the final response. */
export type Hop<T> = { next: URL; headers: Record<string, string> } | { final: T };

const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** Follows redirects from the first address to the final response. Throws 'too_many_redirects'. */
export async function followHops<T>(
  first: URL,
  redirectsMax: number,
  visit: (url: URL) => Promise<Hop<T>>,
): Promise<T> {
  let url = first;
  for (let redirects = 0; redirects <= redirectsMax; redirects++) {
    const hop = await visit(url);
    if ('final' in hop) return hop.final;
    url = hop.next;
  }
  throw createFetchFailure('too_many_redirects', `the page redirects more than ${redirectsMax} times`);
}

/** Returns whether the response redirects; one without `location` is final. */
export function isRedirect({ status, headers }: Pick<ExchangeResponse, 'status' | 'headers'>): boolean {
  return REDIRECTS.has(status) && headers.location !== undefined;
}

/** Resolves the target of a redirect, checked like any address. Throws `url_not_allowed`, or 'protocol' if it is not an address. */
export function resolveRedirect(
  { status, headers }: Pick<ExchangeResponse, 'status' | 'headers'>,
  from: URL,
  checkUrl: CheckUrl,
): URL {
  const target = URL.parse(headers.location ?? '', from.href);
  if (target === null)
    throw createFetchFailure('protocol', 'the page redirects to an invalid address', { httpStatus: status });
  try {
    return checkUrl(target.href);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    throw new Failure('url_not_allowed', 'the page redirects to a URL that is not allowed', {
      cause: error,
      fetch: { reason: 'not_allowed', httpStatus: status },
    });
  }
}
