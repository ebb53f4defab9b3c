import { isFraming } from '../../platform/net/follow-redirects.ts';
import { isObject } from './json-body.ts';

const HEADERS_MAX = 20;
const HEADER_CHARS_MAX = 2_048;
/** https://www.rfc-editor.org/rfc/rfc9110#name-tokens */
const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/;

/** Returns why headers that a caller gives for a webhook cannot be sent; null: they can. */
export function findHeadersProblem(headers: unknown): string | null {
  if (!isObject(headers)) return 'must have headers as an object of texts';
  const entries = Object.entries(headers);
  if (entries.length > HEADERS_MAX) return `must have at most ${HEADERS_MAX} headers`;
  for (const [name, value] of entries) {
    const isText = typeof value === 'string' && /^[\t\x20-\x7e]*$/.test(value);
    if (!HEADER_NAME.test(name) || !isText || value.length > HEADER_CHARS_MAX)
      return 'must have headers as an object of short texts';
    if (isFraming(name.toLowerCase())) return `must not set the header ${name}`;
  }
  return null;
}
