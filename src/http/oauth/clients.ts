import { LRUCache } from 'lru-cache';
import * as z from 'zod';
import { Failure } from '../../contract/errors.ts';
import { isLoopback } from '../../platform/net/exposure.ts';
import type { GuardedFetch } from '../../platform/net/fetch-types.ts';

/** An application that wants to be signed in. */
export type OAuthClient = {
  id: string;
  /** The name that it gives itself. */
  name: string;
  redirectUris: readonly string[];
  /** The host whose document describes it; null: it registered, and nothing about it was checked. */
  host: string | null;
};

export type ClientDeps = {
  /** Signs the description of a registered client, which is then its id: nothing is stored, so nothing can be filled up. */
  signClient(text: string): string;
  /** Returns null if the text was not signed here. */
  readClient(signed: string): string | null;
  /** Fetches the documents of clients; guarded, because anybody names their address. */
  fetchDocument: GuardedFetch;
};

const NAME_CHARS_MAX = 80;
const URIS_MAX = 5;
const URI_CHARS_MAX = 500;
const ID_CHARS_MAX = 4_000;
const DOCUMENT_BYTES_MAX = 10_240;
const DOCUMENT_MS_MAX = 5_000;
const DOCUMENTS_MAX = 500;
const DOCUMENT_KEPT_MS = 600_000;
/** Schemes that run or show something in a browser instead of opening an application. */
const UNSAFE_SCHEMES = new Set(
  [
    'javascript',
    'data',
    'vbscript',
    'file',
    'filesystem',
    'blob',
    'about',
    'ws',
    'wss',
    'ftp',
    'mailto',
    'tel',
  ].map((name) => `${name}:`),
);

const Uri = z
  .string()
  .max(URI_CHARS_MAX)
  .refine(isRedirectAllowed, 'is no address that a code may be sent to');
/** The part of a client's metadata (RFC 7591) that counts here; the rest is ignored. */
export const ClientMetadata = z.object({
  client_name: z.string().max(1_000).optional(),
  redirect_uris: z.array(Uri).min(1).max(URIS_MAX),
  token_endpoint_auth_method: z.string().optional(),
});
const Document = ClientMetadata.extend({ client_id: z.string(), redirect_uris: z.array(Uri).min(1).max(50) });
const Registered = z.object({ kind: z.literal('client'), name: z.string(), uris: z.array(z.string()) });

/** Returns whether codes may be sent to an address: https, this machine, or the scheme of an application. */
function isRedirectAllowed(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || url.hash !== '' || text.includes('#') || url.username !== '' || url.password !== '')
    return false;
  if (url.protocol === 'https:') return true;
  if (url.protocol === 'http:') return isLoopback(url.hostname);
  return !UNSAFE_SCHEMES.has(url.protocol);
}

/** Makes the id of a client that registers. */
export function registerClient(
  { client_name, redirect_uris }: z.output<typeof ClientMetadata>,
  { signClient }: Pick<ClientDeps, 'signClient'>,
): OAuthClient {
  const name = cleanName(client_name, null);
  const id = signClient(JSON.stringify({ kind: 'client', name, uris: redirect_uris }));
  return { id, name, redirectUris: redirect_uris, host: null };
}

/** A name is shown to people: one line, without characters that change how others are shown. */
function cleanName(given: string | undefined, host: string | null): string {
  const name = (given ?? '').replace(/[\p{C}\p{Z}]{1,1000}/gu, ' ').trim();
  return name === '' ? (host ?? 'An application') : name.slice(0, NAME_CHARS_MAX);
}

/** Finds clients by their ids; null: there is none, or its document cannot be read. */
export function createClientFinder(deps: ClientDeps): (id: string) => Promise<OAuthClient | null> {
  const documents = new LRUCache<string, OAuthClient>({ max: DOCUMENTS_MAX, ttl: DOCUMENT_KEPT_MS });
  return async (id) => {
    if (id === '' || id.length > ID_CHARS_MAX) return null;
    if (!id.startsWith('https://')) return readRegistered(id, deps);
    const client = documents.get(id) ?? (await readDocument(id, deps));
    if (client !== null) documents.set(id, client);
    return client;
  };
}

function readRegistered(id: string, { readClient }: ClientDeps): OAuthClient | null {
  const text = readClient(id);
  const read = Registered.safeParse(text === null ? null : parseJsonOrNull(text));
  if (!read.success) return null;
  const { name, uris } = read.data;
  return { id, name, redirectUris: uris, host: null };
}

/** Reads a client's own document, whose address is its id (draft-ietf-oauth-client-id-metadata-document). */
async function readDocument(id: string, { fetchDocument }: ClientDeps): Promise<OAuthClient | null> {
  const url = URL.parse(id);
  if (url === null || url.pathname === '/' || url.hash !== '' || url.href !== id) return null;
  try {
    const headers = { accept: 'application/json' };
    const response = await fetchDocument({
      url: id,
      headers,
      timeoutMs: DOCUMENT_MS_MAX,
      bytesMax: DOCUMENT_BYTES_MAX,
    });
    // A redirect would let an open redirector speak for its host.
    if (response.status !== 200 || response.redirects.length > 0) return null;
    const read = Document.safeParse(parseJsonOrNull(new TextDecoder().decode(response.body)));
    if (!read.success || read.data.client_id !== id) return null;
    const { client_name, redirect_uris: redirectUris } = read.data;
    return { id, name: cleanName(client_name, url.host), redirectUris, host: url.host };
  } catch (error) {
    if (error instanceof Failure) return null;
    throw error;
  }
}

function parseJsonOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Returns whether a code may be sent to an address; on this machine at any port, because applications take a free one (RFC 8252, 7.3). */
export function hasRedirect({ redirectUris }: OAuthClient, asked: string): boolean {
  if (!isRedirectAllowed(asked)) return false;
  return redirectUris.some(
    (one) => one === asked || (isOnThisMachine(one) && dropPort(one) === dropPort(asked)),
  );
}

const isOnThisMachine = (text: string): boolean => {
  const url = URL.parse(text);
  return url?.protocol === 'http:' && isLoopback(url.hostname);
};

function dropPort(text: string): string | null {
  const url = URL.parse(text);
  if (url?.protocol !== 'http:') return null;
  url.port = '';
  return url.href;
}
