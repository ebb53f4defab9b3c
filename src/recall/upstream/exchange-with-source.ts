import { Failure } from '../../contract/errors.ts';
import type { FetchedResponse, GuardedFetch } from '../../platform/net/fetch-types.ts';
import type { SourceAnswer, SourceRequest, SourceSpec } from '../source.ts';

/**
 * The meaning of one call over the wire. `wasReset`: the connection broke before an answer arrived; `abandoned`: those that wanted the
 * answer have left, which says nothing about the source.
 */
export type WireAnswer =
  | SourceAnswer
  | { kind: 'late' }
  | { kind: 'abandoned' }
  | { kind: 'unreachable'; why: string; wasReset: boolean };

/** A call to a source is given up after this time. */
export const SOURCE_TIMEOUT_MS = 5_000;
/** The longest wait for one source when others have answered. */
export const SOFT_TIMEOUT_MS = 2_500;
/** Bounds the bytes read; the bound on an accepted answer is lower. */
const ANSWER_BYTES_MAX = 6_291_456;

export async function exchangeWithSource(
  parts: { fetch: GuardedFetch; read: SourceSpec['read'] },
  { url, headers, authorization }: SourceRequest,
  signal: AbortSignal,
): Promise<WireAnswer> {
  try {
    const response = await parts.fetch({
      url,
      headers,
      ...(authorization === undefined ? {} : { authorization }),
      signal,
      bytesMax: ANSWER_BYTES_MAX,
      timeoutMs: SOURCE_TIMEOUT_MS,
    });
    return parts.read(decodeResponse(response));
  } catch (error) {
    if (signal.aborted) return { kind: 'abandoned' };
    if (error instanceof Failure) return toWireAnswer(error);
    throw error;
  }
}

function decodeResponse({ status, headers, body }: FetchedResponse): Parameters<SourceSpec['read']>[0] {
  return { status, headers, body: new TextDecoder().decode(body) };
}

function toWireAnswer({ fetch, message, cause }: Failure): WireAnswer {
  if (fetch?.reason === 'timeout') return { kind: 'late' };
  const code = (cause as { code?: unknown } | null | undefined)?.code;
  const wasReset = fetch?.reason === 'protocol' && (code === 'ECONNRESET' || code === 'UND_ERR_SOCKET');
  return { kind: 'unreachable', why: fetch?.reason === 'dns' ? 'dns' : message, wasReset };
}
