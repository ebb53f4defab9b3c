import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Route } from '../calls/call.ts';
import type { Terms } from '../calls/operation.ts';
import { MCP_PATH } from '../mcp/mcp-http.ts';

/** Adds the CORS headers of an open path; returns true if the path is open. */
type OpenPath = (request: Pick<FastifyRequest, 'url'>, reply: FastifyReply) => boolean;

/**
 * Lets pages of any origin call priced routes, tools and the routes that describe them; all other paths are closed to scripts. This is safe
 * because a page must send the key itself in a header; no cookies are used.
 */
export function createOpenPaths(routes: readonly Route[], terms: Terms | null): OpenPath {
  const exposed = (terms === null ? EXPOSED : [...EXPOSED, 'X-Credits-Remaining', 'X-Payment-URL']).join(
    ', ',
  );
  const open = routes.filter((route) => route.callers === 'payer' || route.forAnyPage === true);
  const paths = new Set([MCP_PATH, ...open.flatMap((route) => route.paths)]);
  return ({ url }, reply) => {
    const mark = url.indexOf('?');
    reply.header('Vary', 'Origin');
    if (!paths.has(mark === -1 ? url : url.slice(0, mark))) return false;
    reply.header('Access-Control-Allow-Origin', '*').header('Access-Control-Expose-Headers', exposed);
    return true;
  };
}

/** Installs the CORS hook and answers preflights. */
export function openToPages(app: FastifyInstance, openPath: OpenPath): void {
  app.addHook('onRequest', (request, reply, done) => {
    const isOpen = openPath(request, reply);
    if (isOpen && request.method === 'OPTIONS') reply.status(204).headers(PREFLIGHT).send();
    else done();
  });
  // Without a route the framework would not run the hook for a preflight.
  app.options('*', (_request, reply) => reply.callNotFound());
}

const EXPOSED = [
  'Mcp-Session-Id',
  'Retry-After',
  'X-Cache',
  'X-Ignored-Parameters',
  'X-Incomplete',
  'X-Output-Tokens',
  'X-Raw-Tokens',
  'X-Reader-Route',
  'X-Request-Id',
  'X-Token-Savings',
];

/** The headers of the reader's operations. */
const FOR_READERS = [
  ...[
    'X-Cache-Tolerance',
    'X-Locale',
    'X-Max-Output-Tokens',
    'X-Max-Tokens',
    'X-No-Cache',
    'X-Remove-Selector',
  ],
  ...['X-Respond-With', 'X-Return-Format', 'X-Site', 'X-Target-Selector', 'X-Timeout', 'X-Token-Budget'],
  ...['X-Engine', 'X-Wait-For-Selector'],
  ...[
    'X-With-Comments',
    'X-With-Images-Summary',
    'X-With-Links-Summary',
    'X-Retain-Images',
    'X-Retain-Links',
  ],
  ...['X-Md-Bullet-List-Marker', 'X-Md-Em-Delimiter', 'X-Md-Heading-Style', 'X-Md-Hr'],
  ...['X-Md-Link-Reference-Style', 'X-Md-Link-Style', 'X-Md-Strong-Delimiter'],
];

const ALLOWED = [
  'Authorization',
  'Content-Type',
  'Exa-Beta',
  'x-api-key',
  'Mcp-Protocol-Version',
  'Mcp-Session-Id',
  'X-Client-Name',
  'X-Client-Source',
  'x-exa-integration',
  'x-exa-mcp-client',
  'x-exa-mcp-session-id',
  'X-Human-Id',
  'X-No-Store',
  'X-Project-ID',
  'X-Session-Id',
  'X-Subscription-Token',
  'X-Tavily-Access-Mode',
  'X-Tavily-Orgid',
  ...FOR_READERS,
];

/** Browsers cache a preflight for a day. */
const PREFLIGHT = {
  'Access-Control-Allow-Methods': 'GET, HEAD, POST, OPTIONS',
  'Access-Control-Allow-Headers': ALLOWED.join(', '),
  'Access-Control-Max-Age': '86400',
  'Content-Length': '0',
};
