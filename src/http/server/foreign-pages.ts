import type { FastifyInstance } from 'fastify';
import { Failure } from '../../contract/errors.ts';
import { MCP_PATH } from '../mcp/mcp-http.ts';
import { isHostAllowed, isOriginAllowed } from './origin.ts';

type GuardParts = {
  /** Addresses under which the operator offers the service to everybody. */
  publicUrls: readonly string[];
  /** Whether the server can be reached by this machine alone, or reads pages that only this machine can reach. */
  isLocal(): boolean;
};

/**
 * Refuses requests of pages that belong elsewhere, before anything else looks at them. A local server has what no foreign
 * page may use: the network around it, the free requests and the free key of its address. Tools may never be called so.
 */
export function refuseForeignPages(app: FastifyInstance, { publicUrls, isLocal }: GuardParts): void {
  app.addHook('onRequest', async ({ headers, url }) => {
    const local = isLocal();
    if (local && !isHostAllowed(headers, publicUrls))
      throw new Failure(
        'forbidden',
        'This server does not answer to this host name; its operator can set its public address in BASE_URL.',
      );
    const isTool = url.split('?')[0] === MCP_PATH;
    if ((local || isTool) && !isOriginAllowed(headers, publicUrls))
      throw new Failure(
        'forbidden',
        'Pages of this origin may not call this server; its operator can set its public address in BASE_URL.',
      );
  });
}
