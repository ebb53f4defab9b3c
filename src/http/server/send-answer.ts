import { Readable } from 'node:stream';
import { fastifyCompress } from '@fastify/compress';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Answer, Route } from '../calls/call.ts';
import { BROTLI_OPTIONS, CODED_BYTES_MIN, CODINGS, GZIP_OPTIONS } from '../calls/constant-answer.ts';
import { INCOMPLETE_HEADER } from '../calls/incomplete.ts';

/**
 * Bodies up to this size are compressed synchronously, in some 60 microseconds: handing them to another thread and back takes the event
 * loop longer, and five times as long summed over all threads.
 */
const AT_ONCE_BYTES_MAX = 16_384;
/** Adds `reply.compress`, which compresses a body as the client accepts. */
export async function addCompression(app: FastifyInstance): Promise<void> {
  await app.register(fastifyCompress, {
    globalCompression: false,
    globalDecompression: false,
    encodings: CODINGS,
    threshold: CODED_BYTES_MIN,
    syncThreshold: AT_ONCE_BYTES_MAX,
    brotliOptions: BROTLI_OPTIONS,
    zlibOptions: GZIP_OPTIONS,
  });
}

type Exchange = { request: FastifyRequest; reply: FastifyReply };

/** Sends an answer, compressed if the client accepts that and the route allows it. */
export function sendAnswer(route: Route, answer: Answer, { request, reply }: Exchange): void {
  request.watched.cache = answer.cache ?? null;
  request.watched.stagesMs = answer.timingsMs ?? null;
  reply.status(answer.status ?? 200);
  if (answer.cache !== undefined) reply.header('X-Cache', answer.cache);
  const { incomplete = [] } = answer;
  if (incomplete.length > 0) reply.header(INCOMPLETE_HEADER, incomplete.join(', '));
  const varied = reply.getHeader('Vary');
  if (answer.headers !== undefined) reply.headers(answer.headers);
  if (varied !== undefined && answer.headers?.Vary !== undefined)
    reply.header('Vary', `${varied}, ${answer.headers.Vary}`);
  // A stream leaves piece by piece, which a coding would hold back.
  if (mayCompress(route, answer) && !(answer.body instanceof Readable))
    sendCompressed(answer.body, request, reply);
  else reply.send(answer.body);
}

function sendCompressed(
  body: Exclude<Answer['body'], Readable>,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  const isPlain = typeof body === 'string' || body instanceof Uint8Array;
  if (!isPlain) reply.header('Content-Type', 'application/json; charset=utf-8');
  const plain = isPlain ? body : JSON.stringify(body);
  // Also where nothing is compressed, so that no cache gives that answer to all.
  const vary = reply.getHeader('Vary');
  reply.header('Vary', vary === undefined ? 'accept-encoding' : `${vary}, accept-encoding`);
  if (reply.hasHeader('Content-Encoding')) {
    reply.send(plain);
    return;
  }
  // The text of a compressed stream is held until the client has read it; buffers are shared.
  if (typeof plain === 'string' && plain.length > AT_ONCE_BYTES_MAX) request.load.addBytes(plain.length);
  reply.compress(
    typeof plain === 'string' ? plain : Buffer.from(plain.buffer, plain.byteOffset, plain.length),
  );
}

/**
 * Returns true if the answers of a route may be compressed. Answers that hold a secret (keys, payment links, accounts) may not: where a
 * response also repeats text of the request, its compressed length reveals the secret bit by bit (BREACH, https://breachattack.com).
 */
export function mayCompress(
  route: Pick<Route, 'callers' | 'compress'>,
  { status = 200 }: Pick<Answer, 'status'>,
): boolean {
  return status === 200 && (route.callers === 'payer' || route.compress === true);
}
