/**
 * Answers that are the same for every caller: the description of the interface, the documentation, assets. Each is built by its first
 * request and compressed once for each coding, so that a flood of requests for it costs no more than sending bytes.
 */
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { negotiate } from '@fastify/accept-negotiator';
import type { Answer, FreeRoute } from './call.ts';

/** Smaller bodies fit one packet anyway. */
export const CODED_BYTES_MIN = 1_400;
/** Higher levels take many times the CPU for a few percent. */
const BROTLI_QUALITY = 3;
const GZIP_LEVEL = 3;
/** A window of 32 KB: each call clears its window. */
const WINDOW_BITS = 15;

export const BROTLI_OPTIONS = {
  params: {
    [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
    [constants.BROTLI_PARAM_LGWIN]: WINDOW_BITS,
  },
};
export const GZIP_OPTIONS = { level: GZIP_LEVEL, windowBits: WINDOW_BITS };

type Coding = 'br' | 'gzip';

/** The codings of answers, the preferred one first. */
export const CODINGS: Coding[] = ['br', 'gzip'];

/** Pictures are compressed already. */
const CODED_TYPES = /^(?:text\/|application\/json\b|image\/svg\+xml\b)/;

/**
 * Creates the handler of an answer that depends on nothing but the running server. `make` is called by the first request, and
 * makes no stream. The route must declare `compress`, by which its answers state that they vary with the accepted codings.
 */
export function createConstantHandler(make: () => Answer): FreeRoute['handle'] {
  let plain: EncodedAnswer | null = null;
  const coded = new Map<Coding, EncodedAnswer>();
  return async (call) => {
    plain ??= encodeBody(make());
    const coding = chooseCoding(plain, call.headers['accept-encoding']);
    if (coding === null) return plain;
    const answer = coded.get(coding) ?? compressAnswer(plain, coding);
    coded.set(coding, answer);
    return answer;
  };
}

type EncodedAnswer = Answer & { body: Buffer; headers: Record<string, string> };

function encodeBody({ body, headers = {} }: Answer): EncodedAnswer {
  if (typeof body === 'string' || body instanceof Uint8Array) return { body: Buffer.from(body), headers };
  return {
    body: Buffer.from(JSON.stringify(body)),
    headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
  };
}

function chooseCoding({ body, headers }: EncodedAnswer, accepted: string | undefined): Coding | null {
  if (accepted === undefined || body.length < CODED_BYTES_MIN) return null;
  return CODED_TYPES.test(headers['content-type'] ?? '') ? negotiate(accepted.toLowerCase(), CODINGS) : null;
}

function compressAnswer({ body, headers }: EncodedAnswer, coding: Coding): EncodedAnswer {
  const bytes = coding === 'br' ? brotliCompressSync(body, BROTLI_OPTIONS) : gzipSync(body, GZIP_OPTIONS);
  return { body: bytes, headers: { ...headers, 'Content-Encoding': coding } };
}
