import { createFetchFailure } from '../contract/errors.ts';
import type { Clock } from '../platform/clock.ts';
import type { FetchedResponse, FetchRequest, GuardedFetch } from '../platform/net/fetch-types.ts';
import { buildCookieHeader } from './cookies.ts';
import type { Credentials, InterfaceRequest } from './private-site-types.ts';
import { buildInterfaceRequest } from './public-interfaces.ts';
import { createFormSession, type FormSession } from './sign-in-form.ts';

type SignInDeps = { fetch: GuardedFetch; clock: Clock };

/** The sign-in of one profile, with its session. */
export type SiteSession = {
  /** Whether it changes how a page is read. */
  covers(url: URL): boolean;
  fetch: GuardedFetch;
};

const REFUSALS: ReadonlySet<number> = new Set([401, 403]);

/**
 * Signs in to the origins of a profile. Credentials go to the origin of the requested URL alone, never to where it redirects; a page that
 * leads to another site fails, so that no sign-in page of a third party is taken for it.
 */
export function createSiteSession(
  { credentials, origins }: { credentials: Credentials; origins: readonly string[] },
  deps: SignInDeps,
): SiteSession {
  const session = credentials.method === 'form' ? createFormSession(credentials, deps) : null;
  const findInterface = (url: URL): InterfaceRequest | null =>
    'token' in credentials ? buildInterfaceRequest(url, credentials) : null;
  return {
    covers: (url) =>
      origins.includes(url.origin) && (!('token' in credentials) || findInterface(url) !== null),
    fetch: async (request) => {
      const url = new URL(request.url);
      const wanted = findInterface(url);
      if (wanted !== null) return fetchByInterface(request, wanted, deps);
      const response =
        session === null
          ? await deps.fetch(addHeaders(request, buildHeaders(credentials, url, deps.clock.now())))
          : await fetchInSession(request, session, deps);
      if (!origins.includes(new URL(response.url).origin))
        throw createFetchFailure('wall', 'the page leads to a site that its sign-in profile does not name');
      return response;
    },
  };
}

const addHeaders = (request: FetchRequest, ownHeaders: Record<string, string>): FetchRequest => ({
  ...request,
  ownHeaders,
});

function buildHeaders(credentials: Credentials, url: URL, now: number): Record<string, string> {
  if (credentials.method === 'headers') return credentials.headers;
  const cookie = credentials.method === 'cookies' ? buildCookieHeader(credentials.cookies, url, now) : null;
  return cookie === null ? {} : { cookie };
}

/** Signs in once more where the site has ended the session: it refuses, or leads to the page of the form. */
async function fetchInSession(
  request: FetchRequest,
  session: FormSession,
  deps: Pick<SignInDeps, 'fetch'>,
): Promise<FetchedResponse> {
  const form = new URL(session.formUrl);
  const isEnded = ({ url, status }: FetchedResponse): boolean => {
    const { origin, pathname } = new URL(url);
    return REFUSALS.has(status) || (origin === form.origin && pathname === form.pathname);
  };
  // The session belongs to the host that opened it.
  if (new URL(request.url).origin !== form.origin) return deps.fetch(request);
  const { signal, tenant, timeoutMs } = request;
  const bounds = { ...(signal && { signal }), ...(timeoutMs && { timeoutMs }), tenant };
  const cookie = await session.open(bounds);
  const response = await deps.fetch(addHeaders(request, { cookie }));
  if (!isEnded(response)) return response;
  session.end(cookie);
  const again = await deps.fetch(addHeaders(request, { cookie: await session.open(bounds) }));
  if (!isEnded(again)) return again;
  session.refuse();
  throw createFetchFailure('wall', 'the site asks for a sign-in again');
}

async function fetchByInterface(
  request: FetchRequest,
  { url, headers, read }: InterfaceRequest,
  deps: Pick<SignInDeps, 'fetch'>,
): Promise<FetchedResponse> {
  const { accept = '*/*', ...ownHeaders } = headers;
  const response = await deps.fetch({ ...request, url, headers: { accept }, ownHeaders });
  const isSuccess = response.status >= 200 && response.status < 300;
  if (!isSuccess) return { ...response, url: request.url, redirects: [] };
  const { body, contentType } = read(response);
  return {
    url: request.url,
    status: 200,
    headers: { 'content-type': contentType },
    redirects: [],
    body,
  };
}
