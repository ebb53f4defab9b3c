import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Answer, Route } from '../calls/call.ts';

/** Smaller bodies fit one packet anyway. */
const BYTES_MIN = 1_400;
/** Of 11 levels; higher ones take many times the CPU for a few percent. */
const BROTLI_QUALITY = 4;

const CODERS = {
  br: (bytes: Uint8Array) =>
    promisify(brotliCompress)(bytes, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
        [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
      },
    }),
  gzip: (bytes: Uint8Array) => promisify(gzip)(bytes),
};

type Coding = keyof typeof CODERS;

/** A body as it is sent. `coding`: how it was compressed. */
type Coded = { body: Uint8Array; coding: Coding };

/**
 * Whether the answers of a route may be compressed. Those that hold a secret (keys, payment links, accounts) may not: where a
 * response also repeats text of the request, its compressed length reveals the secret bit by bit (BREACH, https://breachattack.com).
 */
export function mayCompress(
  route: Pick<Route, 'callers' | 'compress'>,
  { status = 200 }: Pick<Answer, 'status'>,
): boolean {
  return status === 200 && (route.callers === 'payer' || route.compress === true);
}

/** Compresses a body off the event loop; null if the client does not want it or the body is too small. */
export async function compressBody(
  body: string | Uint8Array,
  acceptEncoding: string | undefined,
): Promise<Coded | null> {
  const coding = acceptEncoding === undefined ? null : codingFor(acceptEncoding);
  if (coding === null || body.length < BYTES_MIN) return null;
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
  return { body: await CODERS[coding](bytes), coding };
}

/** The best coding that the client accepts, by its weights (RFC 9110, section 12.5.3); null: none. */
export function codingFor(acceptEncoding: string): Coding | null {
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
  const weightOf = (coding: Coding): number => weights.get(coding) ?? weights.get('*') ?? 0;
  const best: Coding = weightOf('br') >= weightOf('gzip') ? 'br' : 'gzip';
  return weightOf(best) > 0 ? best : null;
}
