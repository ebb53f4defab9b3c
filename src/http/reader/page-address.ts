/** The page that a reader's request names, and the question that came with it. */
type PageAddress = { url: string; question: string | null };

/**
 * What stands behind `/r/` -> the page's address. It may be plain or percent-encoded as a whole; a slash that was lost
 * after the scheme is put back, a missing scheme is https. Of a query string that is not encoded only `q` is ours,
 * the rest stays with the page in its order and spelling. Null when it cannot be an http(s) address.
 */
export function parsePageAddress(behindR: string): PageAddress | null {
  const mark = behindR.indexOf('?');
  const written = mark === -1 ? behindR : behindR.slice(0, mark);
  const { question, rest } = splitQuery(mark === -1 ? '' : behindR.slice(mark + 1));
  const address = decodeWhole(written)?.trim();
  if (address === undefined || address === '') return null;
  const whole = rest === '' ? address : `${address}${address.includes('?') ? '&' : '?'}${rest}`;
  const url = withScheme(whole);
  return /^https?:\/\/[^/]/i.test(url) && URL.canParse(url) ? { url, question } : null;
}

function splitQuery(query: string): { question: string | null; rest: string } {
  const parts = query.split('&').map((text) => ({ text, q: new URLSearchParams(text).get('q') }));
  const question = parts.map(({ q }) => q?.trim() ?? '').find((q) => q !== '') ?? null;
  const rest = parts.filter(({ q }) => q === null).map(({ text }) => text);
  return { question, rest: rest.join('&') };
}

/** An address that is encoded as a whole shows it before its first plain slash; null when the encoding is broken. */
function decodeWhole(written: string): string | null {
  if (!/^[^/]*%(?:2f|3a)/i.test(written)) return written;
  try {
    return decodeURIComponent(written);
  } catch (error) {
    if (error instanceof URIError) return null;
    throw error;
  }
}

function withScheme(address: string): string {
  const web = /^(https?):\/*/i.exec(address);
  if (web !== null) return `${web[1]}://${address.slice(web[0].length)}`;
  // A name before a port (`example.org:8080/x`) looks like a scheme, but digits follow.
  return /^[a-z][a-z0-9+.-]*:(?!\d)/i.test(address) ? address : `https://${address}`;
}
