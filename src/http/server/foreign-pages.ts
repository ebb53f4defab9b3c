import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { Failure } from '../../contract/errors.ts';
import { MCP_PATH } from '../mcp/mcp-http.ts';
import type { Received } from './exchange.ts';
import { isHostAllowed, isOriginAllowed } from './origin.ts';

type GuardDeps = {
  /** Addresses at which the operator makes the service public. */
  publicUrls: readonly string[];
  /** Whether only this machine can reach the server, or the server may read private addresses. */
  isLocal(): boolean;
};

/** Throws `Failure('forbidden')` for a request from a foreign page. */
type ForeignPageGuard = (request: Pick<Received, 'headers' | 'url'>) => void;

/**
 * Rejects requests from foreign pages before any other processing. A local server exposes what no foreign page may use: its
 * network, and the free requests and free key of its address. Foreign pages may never call tools on any server.
 */
export function createForeignPageGuard({ publicUrls, isLocal }: GuardDeps): ForeignPageGuard {
  const isKnownHost = rememberedByHost((host) => isHostAllowed({ host }, publicUrls));
  return ({ headers, url }) => {
    const local = isLocal();
    if (local && headers.host !== undefined && !isKnownHost(headers.host))
      throw new Failure(
        'forbidden',
        'This server does not accept this host name; its operator can set its public address in BASE_URL.',
      );
    const isTool = url === MCP_PATH || url.startsWith(`${MCP_PATH}?`);
    if ((local || isTool) && isOfPage(headers) && !isOriginAllowed(headers, publicUrls))
      throw new Failure(
        'forbidden',
        'Pages from this origin may not call this server; its operator can set its public address in BASE_URL.',
      );
  };
}

/** Guards the framework's requests. */
export function refuseForeignPages(app: FastifyInstance, guard: ForeignPageGuard): void {
  app.addHook('onRequest', (request, _reply, done) => {
    guard(request);
    done();
  });
}

/** Only browsers send these. */
const isOfPage = (headers: IncomingHttpHeaders): boolean =>
  headers.origin !== undefined || headers['sec-fetch-site'] !== undefined;

const HOSTS_MAX = 1_000;

/** A service has few names; what a stranger makes up is soon dropped. */
function rememberedByHost(decide: (host: string) => boolean): (host: string) => boolean {
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
