import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Failure } from '../../contract/errors.ts';
import type { Exposure } from '../../platform/net/exposure.ts';
import { MCP_PATH } from '../mcp/mcp-http.ts';
import { isHostAllowed, isOriginAllowed } from './origin.ts';

/** Throws `Failure('forbidden')` for a request from a foreign page. */
type ForeignPageGuard = (request: Pick<FastifyRequest, 'headers' | 'url'>) => void;

/**
 * Rejects requests from foreign pages before any other processing, where the server could do for a page what the page cannot do itself.
 * Foreign pages may call tools only through a server's public hosts.
 */
export function createForeignPageGuard(exposure: Exposure): ForeignPageGuard {
  const isKnownHost = rememberByHost((host) => isHostAllowed({ host }, exposure.publicUrls));
  const isGuarded = exposure.openTo !== 'every host';
  return ({ headers, url }) => {
    if (isGuarded && headers.host !== undefined && !isKnownHost(headers.host))
      throw new Failure(
        'forbidden',
        'This server does not accept this host name; its operator can set its public address in BASE_URL.',
      );
    const isTool = url === MCP_PATH || url.startsWith(`${MCP_PATH}?`);
    if ((isGuarded || isTool) && isFromPage(headers) && !isOriginAllowed(headers, exposure))
      throw new Failure(
        'forbidden',
        'Pages from this origin may not call this server; its operator can name the origin in ALLOWED_ORIGINS, or the public address of the service in BASE_URL.',
      );
  };
}

/** Installs the guard as a hook. */
export function refuseForeignPages(app: FastifyInstance, guard: ForeignPageGuard): void {
  app.addHook('onRequest', (request, _reply, done) => {
    guard(request);
    done();
  });
}

/** Only browsers send these headers. */
const isFromPage = (headers: IncomingHttpHeaders): boolean =>
  headers.origin !== undefined || headers['sec-fetch-site'] !== undefined;

const HOSTS_MAX = 1_000;

/** Caches decisions by host. A service has few host names; a full cache, filled with made-up names, is cleared. */
function rememberByHost(decide: (host: string) => boolean): (host: string) => boolean {
  const decided = new Map<string, boolean>();
  return (host) => {
    const known = decided.get(host);
    if (known !== undefined) return known;
    if (decided.size >= HOSTS_MAX) decided.clear();
    const isAllowed = decide(host);
    decided.set(host, isAllowed);
    return isAllowed;
  };
}
