import { Failure } from '../../contract/errors.ts';
import { toSamePageKey } from '../../text/urls/url-spelling.ts';
import type { PageSelector } from '../local-index-types.ts';

/** A range of addresses in the order of their characters, both ends included. */
type UrlRange = { from: string; to: string };

const HOST = /^[a-z0-9_-]+(?:\.[a-z0-9_-]+)*(?::\d{1,5})?$|^\[[0-9a-f:]+\](?::\d{1,5})?$/;
const PREFIX = /^(?:https?:\/\/[^/]+\/|file:\/\/\/)/;
/** Sorts after every character of an address. */
const LAST = '\u{10ffff}';

/** Parses `example.org`, `https://example.org/page` or `https://example.org/docs/*`. Throws `Failure('validation_error')`. */
export function parseSelector(text: string): PageSelector {
  if (text.endsWith('*')) return normalizeSelector({ prefix: text.slice(0, -1) });
  return normalizeSelector(/^[a-z]+:\/\//i.test(text) ? { url: text } : { host: text });
}

/** Normalizes a selector to the spelling of the index. Throws `Failure('validation_error')`. */
export function normalizeSelector(selector: PageSelector): PageSelector {
  if ('url' in selector) {
    if (/^(?:https?|file):/i.test(selector.url) && URL.canParse(selector.url))
      return { url: new URL(selector.url).href };
    throw createRefusal('url', 'must be an address such as https://example.org/page');
  }
  if ('prefix' in selector) {
    if (PREFIX.test(selector.prefix) && URL.canParse(selector.prefix)) return { prefix: selector.prefix };
    throw createRefusal(
      'prefix',
      'must be the beginning of addresses, with the whole host, such as https://example.org/docs/',
    );
  }
  const host = selector.host.toLowerCase().replace(/\.$/, '');
  const name = /[/?#@\\\s]/.test(host) ? undefined : URL.parse(`https://${host}/`)?.host;
  if (name !== undefined && HOST.test(name)) return { host: name };
  throw createRefusal(
    'host',
    'must be a host such as example.org, an address, or the beginning of addresses and a *',
  );
}

/** Returns a function that tests whether an address is selected. */
export function createSelectorMatcher(selector: PageSelector): (address: string) => boolean {
  if ('prefix' in selector) return (address) => address.startsWith(selector.prefix);
  if ('host' in selector) {
    const isOfHost = createHostMatcher(selector.host);
    return (address) => isOfHost(URL.parse(address)?.host ?? '');
  }
  const key = toSamePageKey(selector.url);
  return (address) => address === selector.url || toSamePageKey(address) === key;
}

/** Returns a function that tests whether a host is `wanted` or a subdomain of it. Without a port, `wanted` matches every port. */
function createHostMatcher(wanted: string): (host: string) => boolean {
  const hasPort = /:\d+$/.test(wanted);
  return (host) => {
    const name = hasPort ? host : host.replace(/:\d+$/, '');
    return name === wanted || name.endsWith(`.${wanted}`);
  };
}

/** Lists ranges that contain every selected address, and others that the selector's matcher excludes. `hosts`: all hosts of the index. */
export function listRanges(selector: PageSelector | null, hosts: () => string[]): UrlRange[] {
  if (selector === null) return [{ from: '', to: LAST }];
  if ('prefix' in selector) return [{ from: selector.prefix, to: selector.prefix + LAST }];
  if ('host' in selector)
    return hosts()
      .filter(createHostMatcher(selector.host))
      .flatMap((host) => listSpellings(host).map((start) => ({ from: `${start}/`, to: `${start}/${LAST}` })));
  const { url } = selector;
  const { host, pathname, protocol } = new URL(url);
  if (protocol === 'file:') return [{ from: url, to: url }];
  // Only the part after the plain characters of the path may have several spellings.
  const plain = /^[\w/.-]*/.exec(pathname.replace(/\/(?:index\.(?:html?|php))?$/i, ''))?.[0] ?? '';
  const bare = host.replace(/^www\./, '');
  return [bare, `www.${bare}`].flatMap((name) =>
    listSpellings(name).map((start) => ({ from: start + plain, to: start + plain + LAST })),
  );
}

const listSpellings = (host: string): string[] => [`http://${host}`, `https://${host}`];

function createRefusal(field: string, message: string): Failure {
  return new Failure('validation_error', `${field}: ${message}`, { fields: [{ field, message }] });
}
