import type { IncomingHttpHeaders } from 'node:http';
import { ACCESS_PREFIX, type AppGrants, type AppScope } from '../../billing/keys/app-grants.ts';
import { type FindKey, hasKey, readAuthorizationToken } from '../calls/caller.ts';
import type { Terms } from '../calls/operation.ts';
import type { Tool } from './tool.ts';

/** What a request may do: everything (a key, or keyless), what an application was granted, or nothing without a sign-in. */
export type McpAccess =
  | { kind: 'open' }
  | { kind: 'granted'; scopes: readonly AppScope[] }
  | { kind: 'refused'; status: 401 | 403; challenge: string };

type AccessDeps = { appGrants: Pick<AppGrants, 'find'>; terms: Terms | null };

/** Where clients find out how to be signed in. */
export const RESOURCE_METADATA_PATH = '/.well-known/oauth-protected-resource';
/** In the query: the client can only sign in, so it is asked to. Without it, tools are listed to everybody. */
const SIGN_IN_PARAMETER = 'sign-in';
const PAGE_TOOLS = new Set(['read', 'contents', 'map', 'crawl']);

/** Decides what a request to `/mcp` may do. Tokens of applications count here and on no other route. */
export async function findMcpAccess(
  { headers, target, base }: { headers: IncomingHttpHeaders; target: string; base: string },
  { appGrants, terms }: AccessDeps,
): Promise<McpAccess> {
  if (terms === null) return { kind: 'open' };
  const token = readAuthorizationToken(headers);
  if (token?.startsWith(ACCESS_PREFIX)) {
    const grant = await appGrants.find(token);
    if (grant !== null) return { kind: 'granted', scopes: grant.scopes };
    return { kind: 'refused', status: 401, challenge: buildChallenge(base, { error: 'invalid_token' }) };
  }
  const isAsked = new URL(target, 'http://host').searchParams.has(SIGN_IN_PARAMETER);
  if (hasKey(headers) || !isAsked) return { kind: 'open' };
  return { kind: 'refused', status: 401, challenge: buildChallenge(base, { scope: 'search read' }) };
}

/** Refuses a call for which the application was not granted the scope. */
export function refuseScope(scope: AppScope, base: string): McpAccess & { kind: 'refused' } {
  return {
    kind: 'refused',
    status: 403,
    challenge: buildChallenge(base, { error: 'insufficient_scope', scope }),
  };
}

/** Builds the value of `WWW-Authenticate` (RFC 6750, RFC 9728). */
function buildChallenge(base: string, parts: Record<string, string>): string {
  const all = { ...parts, resource_metadata: `${base}${RESOURCE_METADATA_PATH}/mcp` };
  return `Bearer ${Object.entries(all)
    .map(([name, value]) => `${name}="${value.replace(/["\\]/g, '')}"`)
    .join(', ')}`;
}

/** Returns the scope that a tool needs. */
export function findToolScope({ name, isAboutKeys }: Pick<Tool, 'name' | 'isAboutKeys'>): AppScope {
  if (isAboutKeys) return 'account';
  return PAGE_TOOLS.has(name) ? 'read' : 'search';
}

/** Finds the key of a call, also behind the token of an application. */
export function createToolKeyFinder(findKey: FindKey, appGrants: Pick<AppGrants, 'find'>): FindKey {
  return async (key) => {
    if (!key.startsWith(ACCESS_PREFIX)) return findKey(key);
    return (await appGrants.find(key))?.key ?? null;
  };
}
