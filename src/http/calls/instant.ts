const SECOND_MS = 1_000;
const DAY_MS = 86_400_000;
const DAY = /^\d{4}-\d{2}-\d{2}$/;
const TIMESTAMP = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})?$/i;
const DIGITS = /^(\d{4})(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})$/;
/** The only form of a date that RFC 7089 allows in `Accept-Datetime` (RFC 1123). */
const HTTP_DATE = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/** The rule that a text breaks which is no instant. */
export const INSTANT = 'must be an instant such as 2026-11-28T10:20:30Z, or a day';

/**
 * Parses an instant as milliseconds since the epoch: a timestamp (ISO 8601; UTC without a zone), fourteen digits as in web archives, or a
 * day. What is less exact than a millisecond means its last one. Null for anything else.
 */
export function parseInstant(text: string): number | null {
  const digits = DIGITS.exec(text);
  if (digits !== null) {
    const [, year, month, day, hour, minute, second] = digits;
    return computeEnd(Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`), SECOND_MS);
  }
  if (DAY.test(text)) return computeEnd(Date.parse(`${text}T00:00:00Z`), DAY_MS);
  const [, seconds, fraction, zone] = TIMESTAMP.exec(text) ?? [];
  if (!TIMESTAMP.test(text)) return null;
  const at = Date.parse(zone === undefined ? `${text}Z` : text);
  return computeEnd(at, fraction !== undefined ? 1 : seconds !== undefined ? SECOND_MS : 60 * SECOND_MS);
}

/** Parses the date of a header; its second counts to the end, because versions are more exact. Null for anything else. */
export function parseHttpDate(text: string): number | null {
  return HTTP_DATE.test(text) ? computeEnd(Date.parse(text), SECOND_MS) : null;
}

const computeEnd = (start: number, lengthMs: number): number | null =>
  Number.isNaN(start) ? null : start + lengthMs - 1;
