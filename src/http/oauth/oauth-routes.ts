/**
 * Sign-in for applications, as the Model Context Protocol asks (OAuth 2.1): this server is its own authorization server for one resource,
 * `/mcp`. Its users are the holders of keys. Clients are public, register or name a document that describes them, and prove themselves by
 * PKCE; tokens are opaque, count at `/mcp` alone, and only their hashes are kept. No other route takes them.
 * https://modelcontextprotocol.io/specification/2025-11-25/basic/authorization
 */
import { APP_SCOPES } from '../../billing/keys/app-grants.ts';
import type { Answer, Call, FreeRoute } from '../calls/call.ts';
import { LIMITS } from '../calls/route-limits.ts';
import { RESOURCE_METADATA_PATH } from '../mcp/mcp-access.ts';
import { MCP_PATH } from '../mcp/mcp-http.ts';
import { createLazyHandlers } from '../site/later-handlers.ts';
import type { AuthorizeDeps } from './authorize.ts';
import type { TokenDeps } from './tokens.ts';

export type OAuthDeps = AuthorizeDeps & TokenDeps & { addressFor(call: Pick<Call, 'headers'>): string };

const SERVER_METADATA_PATH = '/.well-known/oauth-authorization-server';
const AUTHORIZE_PATH = '/oauth/authorize';
const TOKEN_PATH = '/oauth/token';
const REGISTER_PATH = '/oauth/register';
const REVOKE_PATH = '/oauth/revoke';

/** Builds the routes; the first request to one loads what it needs. */
export function buildOAuthRoutes(deps: OAuthDeps): FreeRoute[] {
  const pages = createLazyHandlers(async () =>
    (await import('./authorize.ts')).createAuthorizeHandlers(deps, AUTHORIZE_PATH),
  );
  const tokens = createLazyHandlers(async () => (await import('./tokens.ts')).createTokenHandlers(deps));
  const resource = async (call: Call): Promise<Answer> => describeResource(deps, deps.addressFor(call));
  const server = async (call: Call): Promise<Answer> => describeServer(deps.addressFor(call));
  const page = { callers: 'anybody', limit: LIMITS.ledger, pages: 'always' } as const;
  const open = { callers: 'anybody', limit: LIMITS.ledger, forAnyPage: true } as const;
  return [
    {
      ...open,
      method: 'GET',
      paths: [RESOURCE_METADATA_PATH, `${RESOURCE_METADATA_PATH}${MCP_PATH}`],
      handle: resource,
    },
    { ...open, method: 'GET', paths: [SERVER_METADATA_PATH], handle: server },
    {
      ...page,
      method: 'GET',
      paths: [AUTHORIZE_PATH],
      limit: LIMITS.page,
      handle: pages((made) => made.show),
    },
    {
      ...page,
      method: 'POST',
      paths: [AUTHORIZE_PATH],
      limit: LIMITS.page,
      handle: pages((made) => made.grant),
    },
    { ...open, method: 'POST', paths: [TOKEN_PATH], handle: tokens((made) => made.issue) },
    { ...open, method: 'POST', paths: [REGISTER_PATH], handle: tokens((made) => made.register) },
    { ...open, method: 'POST', paths: [REVOKE_PATH], handle: tokens((made) => made.revoke) },
  ];
}

/** Describes `/mcp` as RFC 9728 has it. */
function describeResource({ site }: OAuthDeps, base: string): Answer {
  return {
    body: {
      resource: `${base}${MCP_PATH}`,
      authorization_servers: [base],
      scopes_supported: [...APP_SCOPES],
      bearer_methods_supported: ['header'],
      resource_name: site.name,
      resource_documentation: `${base}/docs`,
    },
  };
}

/** Describes the authorization server as RFC 8414 has it. */
function describeServer(base: string): Answer {
  return {
    body: {
      issuer: base,
      authorization_endpoint: `${base}${AUTHORIZE_PATH}`,
      token_endpoint: `${base}${TOKEN_PATH}`,
      registration_endpoint: `${base}${REGISTER_PATH}`,
      revocation_endpoint: `${base}${REVOKE_PATH}`,
      scopes_supported: [...APP_SCOPES],
      response_types_supported: ['code'],
      response_modes_supported: ['query'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      token_endpoint_auth_methods_supported: ['none'],
      revocation_endpoint_auth_methods_supported: ['none'],
      code_challenge_methods_supported: ['S256'],
      client_id_metadata_document_supported: true,
      authorization_response_iss_parameter_supported: true,
    },
  };
}
