import { isFraming } from '../../platform/net/follow-redirects.ts';

const HEADERS_MAX = 30;
const VALUE_CHARS_MAX = 8_192;
const NAME = /^[!#$%&'*+.^_`|~0-9a-z-]{1,128}$/;
/** Visible characters of Latin-1, spaces and tabs: what a header may hold (RFC 9110, 5.5). */
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** The headers that a caller wants sent with the request for a page. */
type CallerHeaders = {
  /** Lower-case names; null where none may be sent. */
  headers: Record<string, string> | null;
  /**
   * Names, as the caller wrote them, of headers that are not sent: headers of the connection, and the user agent, which must stay
   * truthful.
   */
  ignored: string[];
};

/** Checks a caller's headers; returns them, or what is wrong with them. A page read with any of them is private to the caller. */
export function readCallerHeaders(given: Record<string, string>): CallerHeaders | { problem: string } {
  const entries = Object.entries(given);
  if (entries.length > HEADERS_MAX) return { problem: `must not hold more than ${HEADERS_MAX} headers` };
  const sent: [string, string][] = [];
  const ignored: string[] = [];
  for (const [written, value] of entries) {
    const name = written.trim().toLowerCase();
    if (!NAME.test(name)) return { problem: 'must hold valid header names' };
    if (value.length > VALUE_CHARS_MAX || !VALUE.test(value))
      return { problem: `must hold a valid value for ${name}` };
    if (isFraming(name) || name === 'user-agent') ignored.push(written);
    else sent.push([name, value.trim()]);
  }
  return { headers: sent.length === 0 ? null : Object.fromEntries(sent), ignored };
}
