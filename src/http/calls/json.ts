import { Failure } from '../../contract/errors.ts';
import { JSON_DEPTH_MAX, JSON_VALUES_MAX } from '../../contract/limits.ts';

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const [ARRAY_START, ARRAY_END, OBJECT_START, OBJECT_END] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Parses the bytes of a body as JSON. Rejects oversized JSON before building anything. Throws SyntaxError for invalid JSON, and
 * `Failure('validation_error')` on the field `body` for too much nesting or too many values.
 */
export function parseJson(bytes: Uint8Array): unknown {
  assertSmall(bytes);
  return JSON.parse(new TextDecoder().decode(bytes));
}

/** Counts brackets, commas and colons outside strings: each, except a closing bracket, begins at most one value or name. */
function assertSmall(bytes: Uint8Array): void {
  let [depth, values, isText] = [0, 0, false];
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (isText) {
      if (byte === BACKSLASH) at += 1;
      else if (byte === QUOTE) isText = false;
    } else if (byte === QUOTE) isText = true;
    else if (byte === COMMA || byte === COLON) values += 1;
    else if (byte === ARRAY_START || byte === OBJECT_START) {
      values += 1;
      depth += 1;
      if (depth > JSON_DEPTH_MAX)
        throw createSizeFailure(`must not nest deeper than ${JSON_DEPTH_MAX} levels`);
    } else if (byte === ARRAY_END || byte === OBJECT_END) depth -= 1;
    if (values > JSON_VALUES_MAX)
      throw createSizeFailure(
        `must not have more than ${JSON_VALUES_MAX.toLocaleString('en')} names and values`,
      );
  }
}

function createSizeFailure(message: string): Failure {
  return new Failure('validation_error', `body: ${message}`, { fields: [{ field: 'body', message }] });
}
