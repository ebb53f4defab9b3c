/**
 * Rules for pages of other sites. Pages may call what is priced or public and send keys themselves; a server that could do for a page
 * what the page cannot do itself refuses foreign pages, and host names that others could point at it.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { fastifyCors as cors, type FastifyCorsOptions, type FastifyCorsOptionsDelegate } from '@fastify/cors';
import type { FastifyInstance } from 'fastify';
import { LRUCache } from 'lru-cache';
import { Failure } from '../../contract/errors.ts';
import { type Exposure, isLoopback, isPublicName } from '../../platform/net/exposure.ts';
import type { Route } from '../calls/call.ts';
import type { Terms } from '../calls/operation.ts';
import { MCP_PATH } from '../mcp/mcp-http.ts';

const HOSTS_MAX = 1_000;
const EXPOSED = [
  'Idempotent-Replayed',
  'Link',
  'Mcp-Session-Id',
  'Memento-Datetime',
  'Retry-After',
  'WWW-Authenticate',
  'X-Cache',
  'X-Completeness',
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
  'Accept-Datetime',
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
  ...['X-Table', 'X-Table-Row', 'X-Table-Format'],
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
  'Idempotency-Key',
  'x-api-key',
  'Mcp-Protocol-Version',
  'Mcp-Session-Id',
  'X-Client-Name',
  'X-Client-Source',
  'x-exa-integration',
  'x-exa-mcp-client',
  'x-exa-mcp-session-id',
  'X-Human-Id',
  'X-Idempotency-Key',
  'X-No-Store',
  'X-Project-ID',
  'X-Session-Id',
  'X-Subscription-Token',
  'X-Tavily-Access-Mode',
  'X-Tavily-Orgid',
  ...FOR_READERS,
];
/** Browsers cache a preflight for a day. */
const PREFLIGHT_SECONDS = 86_400;

type PageRule = Pick<Exposure, 'publicUrls' | 'allowedOrigins' | 'openTo'>;

/**
 * Returns true if the page that sent a request may call this server. Only browsers send an origin. On the operator's public hosts any page
 * may call, unless the server could do for it what it cannot do itself: keys travel only in headers that the page sets, never
 * automatically. Otherwise only pages from this machine, from the public URLs, from the allowed origins and from the requested host may
 * call.
 */
export function isOriginAllowed(headers: IncomingHttpHeaders, rule: PageRule): boolean {
  const { origin, host } = headers;
  const publicHosts = listPublicHosts(rule.publicUrls);
  const requested = parseHost(`http://${host ?? ''}`);
  if (rule.openTo !== 'no host' && requested !== null && publicHosts.includes(requested)) return true;
  if (origin === undefined) return !isEmbedded(headers);
  if (rule.allowedOrigins.includes(origin)) return true;
  const from = parseHost(origin);
  if (from === null) return false;
  const isOwn = !isPublicName(from) && URL.parse(origin)?.host === host?.toLowerCase();
  return isOwn || isLoopback(from) || publicHosts.includes(from);
}

/**
 * Returns true if the request's host is known to belong to this server. The owner of any public name can point it here (DNS rebinding),
 * which makes that name's pages same-origin; that is impossible with IP addresses and local names.
 */
export function isHostAllowed({ host }: IncomingHttpHeaders, publicUrls: readonly string[]): boolean {
  if (host === undefined) return true;
  const requested = parseHost(`http://${host}`);
  return requested !== null && (!isPublicName(requested) || listPublicHosts(publicUrls).includes(requested));
}

/** Browsers send no origin for cross-site images, scripts and the like, only `Sec-Fetch-Site`; following a link is allowed. */
function isEmbedded(headers: IncomingHttpHeaders): boolean {
  const isLink = headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document';
  return headers['sec-fetch-site'] === 'cross-site' && !isLink;
}

function listPublicHosts(publicUrls: readonly string[]): string[] {
  return publicUrls.flatMap((url) => parseHost(url) ?? []).filter((host) => !isLoopback(host));
}

function parseHost(url: string): string | null {
  return URL.parse(url)?.hostname.toLowerCase() || null;
}

/**
 * Lets pages of any origin call priced routes, tools and the routes that describe them, and answers their preflights; all other paths are
 * closed to scripts. This is safe because a page must send the key itself in a header; no cookies are used.
 */
export async function openToPages(
  app: FastifyInstance,
  routes: readonly Route[],
  terms: Terms | null,
): Promise<void> {
  const open = routes.filter((route) => route.callers === 'payer' || route.forAnyPage === true);
  const paths = new Set([MCP_PATH, ...open.flatMap((route) => route.paths)]);
  const forPages: FastifyCorsOptions = {
    methods: ['GET', 'HEAD', 'POST', 'OPTIONS'],
    allowedHeaders: ALLOWED,
    exposedHeaders: [...EXPOSED, ...(terms === null ? [] : ['X-Credits-Remaining', 'X-Payment-URL'])],
    maxAge: PREFLIGHT_SECONDS,
    strictPreflight: false,
  };
  const closed: FastifyCorsOptions = { origin: false };
  const choose: FastifyCorsOptionsDelegate = ({ url }, done) => {
    const mark = url.indexOf('?');
    done(null, paths.has(mark === -1 ? url : url.slice(0, mark)) ? forPages : closed);
  };
  await app.register(cors, { delegator: choose });
}

/**
 * Rejects requests from foreign pages before any other processing, where the server could do for a page what the page cannot do itself.
 * Foreign pages may call tools only through a server's public hosts.
 */
export function refuseForeignPages(app: FastifyInstance, exposure: Exposure): void {
  // A service has few host names; made-up ones only push each other out.
  const knownHosts = new LRUCache<string, boolean>({
    max: HOSTS_MAX,
    memoMethod: (host) => isHostAllowed({ host }, exposure.publicUrls),
  });
  const isGuarded = exposure.openTo !== 'every host';
  app.addHook('onRequest', ({ headers, url }, _reply, done) => {
    if (isGuarded && headers.host !== undefined && !knownHosts.memo(headers.host))
      throw new Failure(
        'forbidden',
        'This server does not accept this host name; its operator can set its public address in BASE_URL.',
      );
    const isTool = url === MCP_PATH || url.startsWith(`${MCP_PATH}?`);
    const isFromPage = headers.origin !== undefined || headers['sec-fetch-site'] !== undefined;
    if ((isGuarded || isTool) && isFromPage && !isOriginAllowed(headers, exposure))
      throw new Failure(
        'forbidden',
        'Pages from this origin may not call this server; its operator can name the origin in ALLOWED_ORIGINS, or the public address of the service in BASE_URL.',
      );
    done();
  });
}
