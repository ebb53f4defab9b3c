import { type IncomingMessage, request as requestOver, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { pipeline } from 'node:stream/promises';
import type { Guard } from '../guard.ts';
import { openPlainSocket, toStatus } from './open-socket.ts';
import { REFUSAL_HEADER } from './refusal.ts';
import type { Traffic } from './traffic.ts';

/** Hop-by-hop headers (RFC 9110, 7.6.1). */
const HOP_BY_HOP = new Set([
  ...['connection', 'keep-alive', 'proxy-connection', 'proxy-authorization', 'proxy-authenticate'],
  ...['te', 'trailer', 'transfer-encoding', 'upgrade'],
]);
const HEADER_BYTES_MAX = 65_536;

type Deps = { guard: Guard; traffic: Traffic };

/** Forwards a request for an `http:` address over its own connection to the host. */
export async function forward(
  request: IncomingMessage,
  response: ServerResponse,
  { guard, traffic }: Deps,
): Promise<void> {
  if (!traffic.begins()) return end(response, 429);
  try {
    const url = guard.checkUrl(request.url ?? '');
    if (url.protocol !== 'http:') return end(response, 400);
    const socket = await openPlainSocket(guard, url);
    traffic.watch(socket);
    const answer = await send(request, { url, socket });
    answer.on('data', (bytes: Buffer) => traffic.counts(bytes.length));
    response.writeHead(answer.statusCode ?? 502, selectEndToEndHeaders(answer.rawHeaders));
    await pipeline(answer, response);
  } catch (error) {
    const { status, isRefused } = toStatus(error);
    if (isRefused) traffic.refuses(URL.parse(request.url ?? '')?.host ?? '');
    end(response, status, isRefused ? 'not_allowed' : 'failed');
  }
}

function send(
  request: IncomingMessage,
  { url, socket }: { url: URL; socket: Socket },
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const sent = requestOver({
      method: request.method ?? 'GET',
      path: url.pathname + url.search,
      headers: [
        ...selectEndToEndHeaders(request.rawHeaders),
        ...buildFraming(request),
        'connection',
        'close',
      ],
      createConnection: () => socket,
      maxHeaderSize: HEADER_BYTES_MAX,
      setHost: false,
    });
    sent.once('error', reject);
    sent.once('response', resolve);
    request.once('close', () => {
      if (!request.complete) sent.destroy();
    });
    request.pipe(sent);
  });
}

/** Keeps a body of unknown length chunked. */
const buildFraming = ({ headers }: IncomingMessage): string[] =>
  headers['transfer-encoding'] === undefined ? [] : ['transfer-encoding', 'chunked'];

/** Returns header names and values in turn, without hop-by-hop headers. */
function selectEndToEndHeaders(raw: readonly string[]): string[] {
  const named = new Set(
    raw.flatMap((name, at) =>
      at % 2 === 0 && name.toLowerCase() === 'connection'
        ? (raw[at + 1] ?? '').split(',').map((one) => one.trim().toLowerCase())
        : [],
    ),
  );
  return raw.flatMap((name, at) => {
    if (at % 2 === 1) return [];
    const lower = name.toLowerCase();
    return HOP_BY_HOP.has(lower) || named.has(lower) ? [] : [name, raw[at + 1] ?? ''];
  });
}

function end(response: ServerResponse, status: number, why = 'limit'): void {
  if (response.headersSent) response.destroy();
  else
    response.writeHead(status, { 'content-length': '0', connection: 'close', [REFUSAL_HEADER]: why }).end();
}
