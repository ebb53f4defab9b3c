import type { FastifyInstance } from 'fastify';
import { Failure } from '../../contract/errors.ts';
import { MCP_PATH } from '../mcp/mcp-http.ts';
import { isHostAllowed, isOriginAllowed } from './origin.ts';

type GuardDeps = {
  /** Addresses at which the operator makes the service public. */
  publicUrls: readonly string[];
  /** Whether only this machine can reach the server, or the server may read private addresses. */
  isLocal(): boolean;
};

/**
 * Rejects requests from foreign pages before any other processing. A local server exposes what no foreign page may use: its
 * network, and the free requests and free key of its address. Foreign pages may never call tools on any server.
 */
export function refuseForeignPages(app: FastifyInstance, { publicUrls, isLocal }: GuardDeps): void {
  app.addHook('onRequest', async ({ headers, url }) => {
    const local = isLocal();
    if (local && !isHostAllowed(headers, publicUrls))
      throw new Failure(
        'forbidden',
        'This server does not accept this host name; its operator can set its public address in BASE_URL.',
      );
    const isTool = url.split('?')[0] === MCP_PATH;
    if ((local || isTool) && !isOriginAllowed(headers, publicUrls))
      throw new Failure(
        'forbidden',
        'Pages from this origin may not call this server; its operator can set its public address in BASE_URL.',
      );
  });
}
