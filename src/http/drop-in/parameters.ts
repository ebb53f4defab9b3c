/**
 * Shared by the shapes of other services: parameters of queries and bodies, passages within a token budget, and refusals of operations that
 * are not offered. What only one service needs stands in its own folder.
 */
import { JSON_VALUES_MAX } from '../../contract/limits.ts';
import type { JsonObject } from '../calls/call.ts';
import { createValidationFailure, readJsonObject } from '../calls/wire.ts';

const [SPACE, AMPERSAND, OBJECT_START] = [0x20, 0x26, 0x7b];

/** Merges the parameters of the query string and the body; the body wins, and the first of repeated parameters counts. */
export function mergeParameters(query: URLSearchParams, body: JsonObject): JsonObject {
  return { ...readFirstValues(query), ...body };
}

/**
 * Parses the bytes of a body that may be empty, a form or a JSON object. Throws `Failure('validation_error')` on the field `body` for
 * invalid JSON and too many fields.
 */
export function readForm(bytes: Uint8Array): JsonObject {
  if (bytes.find((byte) => byte > SPACE) === OBJECT_START) return readJsonObject(bytes);
  let fields = 1;
  for (const byte of bytes) if (byte === AMPERSAND) fields += 1;
  if (fields > JSON_VALUES_MAX)
    throw createValidationFailure([
      { field: 'body', message: `must not have more than ${JSON_VALUES_MAX.toLocaleString('en')} fields` },
    ]);
  return readFirstValues(new URLSearchParams(new TextDecoder().decode(bytes)));
}

function readFirstValues(parameters: URLSearchParams): JsonObject {
  const fields = new Map<string, string>();
  for (const [name, value] of parameters) if (!fields.has(name)) fields.set(name, value);
  return Object.fromEntries(fields);
}
