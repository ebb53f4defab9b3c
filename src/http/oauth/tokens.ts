import * as z from 'zod';
import type { AppGrants, AppTokens } from '../../billing/keys/app-grants.ts';
import type { Answer, Call, FreeRoute } from '../calls/call.ts';
import { MCP_PATH } from '../mcp/mcp-http.ts';
import { parseForm } from '../site/form.ts';
import { type ClientDeps, ClientMetadata, registerClient } from './clients.ts';

export type TokenDeps = Pick<ClientDeps, 'signClient'> & {
  appGrants: AppGrants;
  /** The base URL of the service for a caller. */
  addressFor(call: Pick<Call, 'headers'>): string;
};

const REGISTRATION_BYTES_MAX = 16_384;
/** RFC 7636, 4.1. */
const VERIFIER = /^[\w.~-]{43,128}$/;
const FRESH = { 'Cache-Control': 'no-store', Pragma: 'no-cache' };

/** Creates the handlers of the endpoints that applications call themselves. */
export function createTokenHandlers(
  deps: TokenDeps,
): Record<'issue' | 'register' | 'revoke', FreeRoute['handle']> {
  return {
    issue: (call) => issueTokens(deps, call),
    register: async ({ bytes }) => answerRegistration(deps, bytes),
    revoke: async (call) => {
      const token = parseForm(call).get('token') ?? '';
      await deps.appGrants.end(token);
      return { body: {}, headers: FRESH };
    },
  };
}

async function issueTokens({ appGrants, addressFor }: TokenDeps, call: Call): Promise<Answer> {
  const form = parseForm(call);
  const read = (name: string): string => form.get(name) ?? '';
  if ([...form.keys()].some((name) => form.getAll(name).length > 1))
    return refuse('invalid_request', 'a parameter is repeated');
  if (!isOwnResource(form.get('resource'), addressFor(call)))
    return refuse('invalid_target', 'tokens are issued for /mcp of this server only');
  const clientId = read('client_id');
  switch (read('grant_type')) {
    case 'authorization_code': {
      const verifier = read('code_verifier');
      if (!VERIFIER.test(verifier)) return refuse('invalid_request', 'code_verifier is missing or malformed');
      return answerTokens(
        await appGrants.exchange({
          code: read('code'),
          clientId,
          redirectUri: read('redirect_uri'),
          verifier,
        }),
      );
    }
    case 'refresh_token':
      return answerTokens(await appGrants.refresh({ token: read('refresh_token'), clientId }));
    default:
      return refuse('unsupported_grant_type', 'grant_type must be authorization_code or refresh_token');
  }
}

/** Returns whether the resource that tokens are asked for is this server's; none named is the only one there is (RFC 8707). */
export function isOwnResource(asked: string | null, base: string): boolean {
  if (asked === null) return true;
  const url = URL.parse(asked);
  if (url === null || url.hash !== '') return false;
  return `${url.origin}${url.pathname}`.replace(/\/$/, '') === `${base}${MCP_PATH}`;
}

function answerTokens(tokens: AppTokens | null): Answer {
  if (tokens === null)
    return refuse(
      'invalid_grant',
      'the code or token has ended, was used, or belongs to another application',
    );
  return {
    body: {
      access_token: tokens.accessToken,
      token_type: 'Bearer',
      expires_in: Math.floor(tokens.expiresMs / 1_000),
      refresh_token: tokens.refreshToken,
      scope: tokens.scopes.join(' '),
    },
    headers: FRESH,
  };
}

function answerRegistration({ signClient }: TokenDeps, bytes: Uint8Array): Answer {
  const read = z
    .string()
    .max(REGISTRATION_BYTES_MAX)
    .transform((text, context) => {
      try {
        return JSON.parse(text) as unknown;
      } catch {
        context.addIssue('is no JSON');
        return z.NEVER;
      }
    })
    .pipe(ClientMetadata)
    .safeParse(new TextDecoder().decode(bytes));
  if (!read.success) {
    const isUri = read.error.issues.some(({ path }) => path[0] === 'redirect_uris');
    return refuse(
      isUri ? 'invalid_redirect_uri' : 'invalid_client_metadata',
      'redirect_uris must name one to five addresses: https, http on this machine, or the scheme of an application',
    );
  }
  const client = registerClient(read.data, { signClient });
  return {
    status: 201,
    body: {
      client_id: client.id,
      client_name: client.name,
      redirect_uris: [...client.redirectUris],
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
    },
    headers: FRESH,
  };
}

/** Builds an error as RFC 6749, 5.2 has it. */
function refuse(error: string, description: string): Answer {
  return { status: 400, body: { error, error_description: description }, headers: FRESH };
}
