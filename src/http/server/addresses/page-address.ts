/** The URL in a reader request and the question sent with it. */
type PageAddress = { url: string; question: string | null };

/**
 * Parses the text after `/r/` into the page's URL; null if it cannot be an http(s) URL. The text may be plain or fully percent-encoded; a
 * slash lost after the scheme is restored, and a missing scheme becomes https. Only `q` is taken from an unencoded query string; the other
 * parameters stay in the page's URL, in their order and spelling.
 */
export function parsePageAddress(behindR: string): PageAddress | null {
  const mark = behindR.indexOf('?');
  const written = mark === -1 ? behindR : behindR.slice(0, mark);
  const { question, rest } = splitQuery(mark === -1 ? '' : behindR.slice(mark + 1));
  const address = decodeWhole(written)?.trim();
  if (address === undefined || address === '') return null;
  const whole = rest === '' ? address : `${address}${address.includes('?') ? '&' : '?'}${rest}`;
  const url = addScheme(whole);
  return /^https?:\/\/[^/]/i.test(url) && URL.canParse(url) ? { url, question } : null;
}

function splitQuery(query: string): { question: string | null; rest: string } {
  const parts = query.split('&').map((text) => ({ text, q: new URLSearchParams(text).get('q') }));
  const question = parts.map(({ q }) => q?.trim() ?? '').find((q) => q !== '') ?? null;
  const rest = parts.filter(({ q }) => q === null).map(({ text }) => text);
  return { question, rest: rest.join('&') };
}

/** A fully encoded URL has an encoded `:` or `/` before its first plain slash; null when the encoding is invalid. */
function decodeWhole(written: string): string | null {
  if (!/^[^/]*%(?:2f|3a)/i.test(written)) return written;
  try {
    return decodeURIComponent(written);
  } catch (error) {
    if (error instanceof URIError) return null;
    throw error;
  }
}

function addScheme(address: string): string {
  const web = /^(https?):\/*/i.exec(address);
  if (web !== null) return `${web[1]}://${address.slice(web[0].length)}`;
  // A host with a port (`example.org:8080/x`) looks like a scheme, but digits follow the colon.
  return /^[a-z][a-z0-9+.-]*:(?!\d)/i.test(address) ? address : `https://${address}`;
}
