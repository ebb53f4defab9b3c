import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import type { OAuthClientProvider } from '@modelcontextprotocol/sdk/client/auth.js';
import { UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { RealServed } from '../../harness.ts';

/** Where the application of these tests waits for its code; nobody listens there. */
export const RETURN_TO = 'http://127.0.0.1:9/callback';

export type Form = Record<string, string>;
export type Tokens = { access_token: string; refresh_token: string; scope: string; expires_in: number };

/** Sends a form as a browser of this server's own page does. */
export async function postForm(
  app: RealServed,
  path: string,
  form: Form,
  headers: Record<string, string> = {},
): Promise<Awaited<ReturnType<RealServed['post']>>> {
  const type = { 'content-type': 'application/x-www-form-urlencoded' };
  return await app.post(path, new URLSearchParams(form).toString(), { ...type, ...headers });
}

export async function register(app: RealServed, body: object = {}): Promise<string> {
  const { status, json, text } = await app.post('/oauth/register', {
    client_name: 'A test',
    redirect_uris: [RETURN_TO],
    ...body,
  });
  assert.equal(status, 201, text);
  return json.client_id;
}

export function createVerifier(): { verifier: string; challenge: string } {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
}

export function buildRequest(clientId: string, challenge: string, more: Form = {}): Form {
  return {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: RETURN_TO,
    code_challenge: challenge,
    code_challenge_method: 'S256',
    state: 'a state',
    scope: 'search read',
    ...more,
  };
}

/** Signs in with a key, and returns the parameters with which the browser comes back. */
export async function signIn(
  app: RealServed,
  request: Form,
  apiKey: string,
): Promise<{ code: string; back: URL }> {
  const answer = await postForm(app, '/oauth/authorize', { ...request, key: apiKey, do: 'key' });
  assert.equal(answer.status, 303, answer.text.slice(0, 2_000));
  const back = new URL(answer.headers.get('location') ?? '');
  return { code: back.searchParams.get('code') ?? '', back };
}

/** Goes the whole way to tokens. */
export async function getTokens(
  app: RealServed,
  apiKey: string,
  more: Form = {},
): Promise<Tokens & { clientId: string; code: string; verifier: string }> {
  const clientId = await register(app);
  const { verifier, challenge } = createVerifier();
  const { code } = await signIn(app, buildRequest(clientId, challenge, more), apiKey);
  const { status, json, text } = await exchange(app, { code, clientId, verifier });
  assert.equal(status, 200, text);
  return { ...json, clientId, code, verifier };
}

export function exchange(
  app: RealServed,
  { code, clientId, verifier }: { code: string; clientId: string; verifier: string },
  more: Form = {},
): ReturnType<typeof postForm> {
  return postForm(app, '/oauth/token', {
    grant_type: 'authorization_code',
    code,
    client_id: clientId,
    redirect_uri: RETURN_TO,
    code_verifier: verifier,
    ...more,
  });
}

/** Lists the tools with a token, or returns the status and the challenge of a refusal. */
export async function callMcp(
  app: RealServed,
  token: string | null,
  {
    method = 'tools/list',
    params = {},
    path = '/mcp',
  }: { method?: string; params?: object; path?: string } = {},
): ReturnType<RealServed['post']> {
  const accept = { accept: 'application/json, text/event-stream' };
  const auth = token === null ? {} : { authorization: `Bearer ${token}` };
  return await app.post(path, { jsonrpc: '2.0', id: 1, method, params }, { ...accept, ...auth });
}

/** The SDK's own provider of a client, whose user follows the link by `visit`, which returns the code. */
export function createProvider(
  clientName: string,
  returnTo: string = RETURN_TO,
): OAuthClientProvider & { visited: URL[]; saved: { tokens?: Tokens } } {
  let information: object | undefined;
  let verifier = '';
  const visited: URL[] = [];
  const saved: { tokens?: Tokens } = {};
  return {
    visited,
    saved,
    redirectUrl: returnTo,
    clientMetadata: {
      client_name: clientName,
      redirect_uris: [returnTo],
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
    },
    clientInformation: () => information as never,
    saveClientInformation: (given) => {
      information = given;
    },
    tokens: () => saved.tokens as never,
    saveTokens: (tokens) => {
      saved.tokens = tokens as Tokens;
    },
    redirectToAuthorization: (url) => void visited.push(url),
    saveCodeVerifier: (given) => {
      verifier = given;
    },
    codeVerifier: () => verifier,
  };
}

/** Connects the SDK's client; where it must be signed in, `visit` is the person in the browser, who returns the code. */
export async function connectSignedIn(
  url: string,
  provider: ReturnType<typeof createProvider>,
  visit: (url: URL) => Promise<string>,
): Promise<Client> {
  const open = () => new StreamableHTTPClientTransport(new URL(url), { authProvider: provider });
  const client = new Client({ name: 'test', version: '1' });
  const transport = open();
  try {
    await client.connect(transport as Parameters<Client['connect']>[0]);
    return client;
  } catch (error) {
    if (!(error instanceof UnauthorizedError)) throw error;
  }
  const [asked] = provider.visited.slice(-1);
  assert.ok(asked !== undefined, 'the client asked nobody to sign in');
  await transport.finishAuth(await visit(asked));
  const signedIn = new Client({ name: 'test', version: '1' });
  await signedIn.connect(open() as Parameters<Client['connect']>[0]);
  return signedIn;
}
