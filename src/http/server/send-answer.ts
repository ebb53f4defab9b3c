import { promisify } from 'node:util';
import {
  type BrotliOptions,
  brotliCompress,
  brotliCompressSync,
  constants,
  gzip,
  gzipSync,
  type ZlibOptions,
} from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Answer, Route } from '../calls/call.ts';
import { INCOMPLETE_HEADER } from '../calls/incomplete.ts';

/** Smaller bodies fit one packet anyway. */
const BYTES_MIN = 1_400;
/**
 * Bodies up to this size are compressed synchronously, in some 60 microseconds: handing them to another thread and back takes the event
 * loop longer, and five times as long summed over all threads. They get the fastest level, which makes them a few percent larger.
 */
const AT_ONCE_BYTES_MAX = 16_384;

/** Higher levels take many times the CPU for a few percent; the window is no larger than helps, because each call clears it. */
const BROTLI = { small: { quality: 1, windowBits: 14 }, large: { quality: 3, windowBits: 16 } };
const GZIP = {
  small: { level: 1, windowBits: 13, memLevel: 6 },
  large: { level: 3, windowBits: 14, memLevel: 7 },
} satisfies Record<string, ZlibOptions>;

type Coder = (bytes: Uint8Array) => Uint8Array | Promise<Uint8Array>;
type Coding = 'br' | 'gzip';

const CODERS: Record<Coding, { small: Coder; large: Coder }> = {
  br: {
    small: (bytes) => brotliCompressSync(bytes, buildBrotliOptions(BROTLI.small, bytes)),
    large: (bytes) => promisify(brotliCompress)(bytes, buildBrotliOptions(BROTLI.large, bytes)),
  },
  gzip: {
    small: (bytes) => gzipSync(bytes, GZIP.small),
    large: (bytes) => promisify(gzip)(bytes, GZIP.large),
  },
};

type Exchange = { request: FastifyRequest; reply: FastifyReply };

/** Sends an answer; returns a promise if it is compressed first. */
export function sendAnswer(
  route: Route,
  answer: Answer,
  { request, reply }: Exchange,
): Promise<void> | undefined {
  request.watched.cache = answer.cache ?? null;
  request.watched.stagesMs = answer.timingsMs ?? null;
  reply.status(answer.status ?? 200);
  if (answer.cache !== undefined) reply.header('X-Cache', answer.cache);
  const { incomplete = [] } = answer;
  if (incomplete.length > 0) reply.header(INCOMPLETE_HEADER, incomplete.join(', '));
  if (answer.headers !== undefined) reply.headers(answer.headers);
  if (mayCompress(route, answer)) return sendCompressed(answer.body, request, reply);
  reply.send(answer.body);
  return undefined;
}

/** Sends a body, compressed if the client accepts that; returns a promise in that case. */
function sendCompressed(
  body: Answer['body'],
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> | undefined {
  const isPlain = typeof body === 'string' || body instanceof Uint8Array;
  if (!isPlain) reply.header('Content-Type', 'application/json; charset=utf-8');
  const plain = isPlain ? body : JSON.stringify(body);
  const vary = reply.getHeader('Vary');
  reply.header('Vary', vary === undefined ? 'Accept-Encoding' : `${vary}, Accept-Encoding`);
  const accepted = request.headers['accept-encoding'];
  if (accepted !== undefined)
    return compressBody(plain, accepted).then((coded) => {
      if (coded === null) reply.send(plain);
      else {
        request.load.addBytes(coded.body.length);
        reply.header('Content-Encoding', coded.coding).send(coded.body);
      }
    });
  reply.send(plain);
  return undefined;
}

function buildBrotliOptions(
  { quality, windowBits }: { quality: number; windowBits: number },
  bytes: Uint8Array,
): BrotliOptions {
  return {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: quality,
      [constants.BROTLI_PARAM_LGWIN]: windowBits,
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
    },
  };
}

/** A compressed body as it is sent. */
type CompressedBody = { body: Uint8Array; coding: Coding };

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

/** Compresses a body, a large one off the event loop; null if the client does not want it or the body is too small. */
export async function compressBody(
  body: string | Uint8Array,
  acceptEncoding: string | undefined,
): Promise<CompressedBody | null> {
  const coding = acceptEncoding === undefined ? null : chooseCoding(acceptEncoding);
  if (coding === null || body.length < BYTES_MIN) return null;
  return {
    body: await (typeof body === 'string' ? compress(Buffer.from(body), coding) : compressOnce(body, coding)),
    coding,
  };
}

function compress(bytes: Uint8Array, coding: Coding): Uint8Array | Promise<Uint8Array> {
  return CODERS[coding][bytes.length <= AT_ONCE_BYTES_MAX ? 'small' : 'large'](bytes);
}

/** Byte arrays are shared between responses, so each is compressed once for as long as it is kept. */
const compressed = new WeakMap<Uint8Array, Map<Coding, Promise<Uint8Array>>>();

function compressOnce(bytes: Uint8Array, coding: Coding): Promise<Uint8Array> {
  const known = compressed.get(bytes) ?? new Map<Coding, Promise<Uint8Array>>();
  compressed.set(bytes, known);
  const coded = known.get(coding) ?? Promise.resolve(compress(bytes, coding));
  known.set(coding, coded);
  return coded;
}

/** Chooses the best coding that the client accepts, by its weights (RFC 9110, section 12.5.3); null: none. */
export function chooseCoding(acceptEncoding: string): Coding | null {
  const weights = new Map(
    acceptEncoding
      .toLowerCase()
      .split(',')
      .map((part) => {
        const [name = '', weight = ''] = part.split(';', 2).map((word) => word.trim());
        const q = /^q\s*=\s*([\d.]{1,5})$/.exec(weight)?.[1];
        return [name, q === undefined ? 1 : Number(q)] as const;
      }),
  );
  const findWeight = (coding: Coding): number => weights.get(coding) ?? weights.get('*') ?? 0;
  const best: Coding = findWeight('br') >= findWeight('gzip') ? 'br' : 'gzip';
  return findWeight(best) > 0 ? best : null;
}
