import { type FailureCode, STATUS_OF } from '../../contract/errors.ts';
import type { ErrorFormat } from '../calls/error-format.ts';
import { createValidationFailure, parseJson } from '../calls/json-body.ts';
import { readField, readTextField } from './writing.ts';

/** The parts of a message that the server needs before the SDK handles it. */
export type Message = {
  json: unknown;
  method: string;
  /** Null for a notification. */
  id: RequestId | null;
  /** The tool that the message calls. */
  tool: string | null;
  wantsProgress: boolean;
  /** The arguments of a call that has only a tool name and arguments; null for any other message. */
  plainCall: { given: unknown } | null;
  /** True if the message only asks for the list of tools. */
  isPlainList: boolean;
  /** The id of the request that the message cancels. */
  cancels: RequestId | null;
};

/** Reads the one message of a body. Throws `Failure('validation_error')`, also for batches: the protocol dropped them in 2025. */
export function readMessage(bytes: unknown): Message {
  const json = parseBody(bytes);
  if (Array.isArray(json)) throw createMessageFailure('must be one message; batches are not supported');
  const method = readTextField(json, 'method');
  const params = readField(json, 'params');
  const isCall = method === 'tools/call';
  const cancels = readField(params, 'requestId');
  return {
    json,
    method,
    id: parseRequestId(readField(json, 'id')),
    tool: isCall ? readTextField(params, 'name') : null,
    plainCall:
      isCall && isPlain(json, ['name', 'arguments']) ? { given: readField(params, 'arguments') } : null,
    isPlainList: method === 'tools/list' && isPlain(json, []),
    wantsProgress: isCall && readField(readField(params, '_meta'), 'progressToken') !== undefined,
    cancels: method === 'notifications/cancelled' ? parseRequestId(cancels) : null,
  };
}

/** Returns true if a request has an id and only the given parameters. Anything else is left to the SDK. */
function isPlain(json: unknown, params: readonly string[]): boolean {
  const [id, given] = [readField(json, 'id'), readField(json, 'params')];
  const isNumbered = typeof id === 'string' || Number.isSafeInteger(id);
  const hasOnly = (value: unknown, names: readonly string[]): boolean =>
    Object.keys(Object(value)).every((name) => names.includes(name));
  return (
    isNumbered &&
    readField(json, 'jsonrpc') === '2.0' &&
    hasOnly(json, ['jsonrpc', 'id', 'method', 'params']) &&
    hasOnly(given, params)
  );
}

function parseRequestId(id: unknown): RequestId | null {
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}

function parseBody(bytes: unknown): unknown {
  if (!(bytes instanceof Uint8Array) || bytes.length === 0)
    throw createMessageFailure('must be a JSON-RPC message, but is empty');
  try {
    return parseJson(bytes);
  } catch (cause) {
    if (cause instanceof SyntaxError) throw createMessageFailure('must be valid JSON', cause);
    throw cause;
  }
}

function createMessageFailure(message: string, cause?: unknown): Error {
  return createValidationFailure([{ field: 'body', message }], cause);
}

/** JSON-RPC error codes; every other failure is a server error. */
const SERVER_ERROR = -32_000;
const CODES: Partial<Record<FailureCode, number>> = { validation_error: -32_600, internal: -32_603 };
/** The MCP transport returns 400 for a message that it cannot parse. */
const BAD_REQUEST = 400;

/** Formats failures that happen before a message is parsed, as JSON-RPC errors with a null id. */
export const protocolErrorFormat: ErrorFormat = {
  statusOf: (code) => (code === 'validation_error' ? BAD_REQUEST : STATUS_OF[code]),
  word({ code, message }) {
    return {
      status: protocolErrorFormat.statusOf(code),
      headers: {},
      body: {
        jsonrpc: '2.0',
        error: { code: CODES[code] ?? SERVER_ERROR, message: `${code}: ${message}` },
        id: null,
      },
    };
  },
};

/** Running calls by session and request id. A cancellation reaches only calls of its own session. */
type Cancellations = {
  /** Registers a call; returns the function that removes it once it is over. */
  keep(session: string, id: RequestId, call: AbortController): () => void;
  cancel(session: string, id: RequestId): void;
};

export type RequestId = string | number;

export function createCancellations(): Cancellations {
  const running = new Map<string, AbortController>();
  // 1 and "1" are different ids.
  const buildKey = (session: string, id: RequestId): string => JSON.stringify([session, id]);
  return {
    keep(session, id, call) {
      const name = buildKey(session, id);
      running.set(name, call);
      return () => {
        if (running.get(name) === call) running.delete(name);
      };
    },
    cancel(session, id) {
      running.get(buildKey(session, id))?.abort();
    },
  };
}
