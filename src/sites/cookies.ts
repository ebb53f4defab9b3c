import type { Cookie } from './private-site-types.ts';

const HTTP_ONLY = '#HttpOnly_';
const NAME = /^[!#$%&'*+\-.^_`|~0-9a-zA-Z]+$/;
/** What a cookie may hold (RFC 6265, 4.1.1); browsers also export spaces and commas. */
const VALUE = /^[\x20-\x3a\x3c-\x7e]*$/;

/** Reads a `cookies.txt` as browsers' extensions and curl write it. Returns the number of the first line that is none as `problem`. */
export function parseCookiesFile(text: string): Cookie[] | { problem: number } {
  const cookies: Cookie[] = [];
  for (const [at, written] of text.split(/\r?\n/).entries()) {
    const line = written.startsWith(HTTP_ONLY) ? written.slice(HTTP_ONLY.length) : written;
    if (line.trim() === '' || line.startsWith('#')) continue;
    const [domain = '', covers, path = '/', isSecure, expires = '0', name = '', value = ''] =
      line.split('\t');
    const isSound = domain !== '' && NAME.test(name) && VALUE.test(value) && /^\d{1,15}$/.test(expires);
    if (!isSound) return { problem: at + 1 };
    cookies.push({
      name,
      value,
      domain: domain.replace(/^\./, '').toLowerCase(),
      coversSubdomains: covers === 'TRUE',
      path,
      isSecure: isSecure === 'TRUE',
      expires: Number(expires),
    });
  }
  return cookies;
}

/** Returns the `cookie` header for a URL, as browsers choose it (RFC 6265, 5.4); null if no cookie is for it. `now` in milliseconds. */
export function buildCookieHeader(cookies: readonly Cookie[], url: URL, now: number): string | null {
  const sent = cookies.filter(
    ({ domain, coversSubdomains, path, isSecure, expires }) =>
      (url.hostname === domain || (coversSubdomains && url.hostname.endsWith(`.${domain}`))) &&
      (url.pathname === path || url.pathname.startsWith(path.endsWith('/') ? path : `${path}/`)) &&
      (!isSecure || url.protocol === 'https:') &&
      (expires === 0 || expires * 1_000 > now),
  );
  return sent.length === 0 ? null : sent.map(({ name, value }) => `${name}=${value}`).join('; ');
}

/** Adds the cookies of a response to those of a session; a cookie that has ended leaves it. */
export function collectCookies(
  session: Map<string, string>,
  headers: Readonly<Record<string, string>>,
  now: number,
): void {
  for (const line of (headers['set-cookie'] ?? '').split('\n')) {
    const [pair = '', ...attributes] = line.split(';');
    const at = pair.indexOf('=');
    const [name, value] = [pair.slice(0, Math.max(0, at)).trim(), pair.slice(at + 1).trim()];
    if (!NAME.test(name) || !VALUE.test(value)) continue;
    if (attributes.some((attribute) => hasEnded(attribute.trim(), now))) session.delete(name);
    else session.set(name, value);
  }
}

function hasEnded(attribute: string, now: number): boolean {
  const [name = '', value = ''] = attribute.split('=');
  if (/^max-age$/i.test(name)) return Number(value) <= 0;
  return /^expires$/i.test(name) && Date.parse(value) <= now;
}
