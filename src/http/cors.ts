import type { FastifyCorsOptions } from '@fastify/cors';

/** Any origin may call from a browser: keys travel in headers that a page must know, never in cookies. */
export const CORS: FastifyCorsOptions = {
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
    'X-Project-ID',
    'X-Session-Id',
    'X-Tavily-Access-Mode',
    'X-Tavily-Orgid',
  ],
  exposedHeaders: [
    'Mcp-Session-Id',
    'Retry-After',
    'X-Cache',
    'X-Credits-Remaining',
    'X-Output-Tokens',
    'X-Payment-URL',
    'X-Raw-Tokens',
    'X-Request-Id',
    'X-Token-Savings',
  ],
  maxAge: 86_400,
  strictPreflight: false,
};
