import type { FastifyCorsOptions, FastifyCorsOptionsDelegateCallback } from '@fastify/cors';
import type { Route } from '../calls/call.ts';
import type { Terms } from '../calls/terms.ts';
import { MCP_PATH } from '../mcp/mcp-http.ts';

/** Lets pages from any origin call priced routes, tools and the routes that describe them; all other paths are closed to scripts. */
export function corsOf(
  routes: readonly Route[],
  terms: Terms | null,
): { delegator: FastifyCorsOptionsDelegateCallback } {
  const opened = terms === null ? CORS : METERED_CORS;
  const open = routes.filter((route) => route.callers === 'payer' || route.forAnyPage === true);
  const paths = new Set([MCP_PATH, ...open.flatMap((route) => route.paths)]);
  return {
    delegator: ({ url }, done) => done(null, paths.has(url.split('?')[0] ?? '') ? opened : CLOSED),
  };
}

const CLOSED: FastifyCorsOptions = { origin: false };

const EXPOSED = [
  'Mcp-Session-Id',
  'Retry-After',
  'X-Cache',
  'X-Ignored-Parameters',
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

/** Safe for any origin: a page must send the key itself in a header; no cookies are used. */
const CORS: FastifyCorsOptions = {
  origin: '*',
  methods: ['GET', 'HEAD', 'POST', 'OPTIONS'],
  allowedHeaders: [
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
  ],
  exposedHeaders: EXPOSED,
  maxAge: 86_400,
  strictPreflight: false,
};

const METERED_CORS: FastifyCorsOptions = {
  ...CORS,
  exposedHeaders: [...EXPOSED, 'X-Credits-Remaining', 'X-Payment-URL'],
};
