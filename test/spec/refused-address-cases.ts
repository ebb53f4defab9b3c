import { type Case, each, failing, type Sent, sending } from './spec-case.ts';

const send = sending();
const NOT_PUBLIC: [why: string, url: string][] = [
  ['loopback', 'http://127.0.0.1/'],
  ['loopback, another address of it', 'http://127.9.9.9:8080/'],
  ['loopback as one number', 'http://2130706433/'],
  ['loopback in hexadecimal', 'http://0x7f000001/'],
  ['loopback in octal', 'http://0177.0.0.1/'],
  ['loopback shortened', 'http://127.1/'],
  ['IPv6 loopback', 'http://[::1]/'],
  ['IPv4 loopback within IPv6', 'http://[::ffff:127.0.0.1]/'],
  ['the unspecified address', 'http://0.0.0.0/'],
  ['the unspecified IPv6 address', 'http://[::]/'],
  ['private 10/8', 'http://10.0.0.1/'],
  ['private 172.16/12', 'http://172.16.0.1/'],
  ['private 172.16/12 at its end', 'http://172.31.255.255/'],
  ['private 192.168/16', 'http://192.168.1.1/'],
  ['link-local', 'http://169.254.169.254/latest/meta-data/'],
  ['IPv6 link-local', 'http://[fe80::1]/'],
  ['IPv6 unique local', 'http://[fc00::1]/'],
  ['carrier-grade NAT', 'http://100.64.0.1/'],
  ['multicast', 'http://224.0.0.1/'],
  ['broadcast', 'http://255.255.255.255/'],
  ['NAT64 of a private address', 'http://[64:ff9b::a00:1]/'],
  ['6to4 of a private address', 'http://[2002:a00:1::]/'],
  ['the name localhost', 'http://localhost/'],
  ['a name below localhost', 'http://app.localhost/'],
  ['a single-label name', 'http://intranet/'],
  ['a local suffix', 'http://printer.local/'],
  ['an internal suffix', 'http://service.internal/'],
  ['user and password', 'https://user:secret@example.org/'],
  ['a user', 'https://user@example.org/'],
  ['ftp', 'ftp://example.org/'],
  ['file', 'file:///etc/passwd'],
  ['javascript', 'javascript:alert(1)'],
  ['data', 'data:text/html,hello'],
  ['gopher', 'gopher://example.org/'],
  ['a bad port', 'http://example.org:25/'],
  ['another bad port', 'http://example.org:6667/'],
];
const NAMES: [why: string, url: string, status: 400 | 502, code: string][] = [
  ['a name that resolves to a private address', 'http://private.example.org/', 400, 'url_not_allowed'],
  ['a name of which one address is private', 'http://half.example.org/', 400, 'url_not_allowed'],
  ['a name that does not resolve', 'http://lost.example.net/', 502, 'fetch_failed'],
];

const reading = (url: string): Sent => ({ path: `/r/${encodeURIComponent(url)}` });
const ROUTES: [name: string, request: (url: string) => Sent][] = [
  ['GET /r/{url}', reading],
  ['POST /v1/contents', (url) => ({ path: '/v1/contents', body: { urls: [url] } })],
  ['POST /v1/findSimilar', (url) => ({ path: '/v1/findSimilar', body: { url } })],
  ['POST /shapeB/extract', (url) => ({ path: '/shapeB/extract', body: { urls: [url] } })],
  ['POST /shapeB/crawl', (url) => ({ path: '/shapeB/crawl', body: { url } })],
  ['POST /shapeB/map', (url) => ({ path: '/shapeB/map', body: { url } })],
];
/** Every route meets some of each kind; the reader meets all. */
const SOME = NOT_PUBLIC.filter((_, place) => place % 9 === 0);

/** Addresses that are not public, where nothing private is opened for tests. */
export const REFUSED_ADDRESS_CASES: Case[] = [
  ...each(NOT_PUBLIC, ([why, url], n) =>
    send(`SA01.${n}`, `${why} (${url}) is not read`, reading(url), failing(400, 'url_not_allowed')),
  ),
  ...ROUTES.slice(1).flatMap(([name, request], route) =>
    each(SOME, ([why, url], n) =>
      send(`SA0${route + 2}.${n}`, `${name} refuses ${why}`, request(url), failing(400, 'url_not_allowed')),
    ),
  ),
  ...each(NAMES, ([why, url, status, code], n) =>
    send(`SA07.${n}`, `${why} is ${code} for the reader`, reading(url), failing(status, code)),
  ),
  ...each(NAMES, ([why, url, status, code], n) =>
    send(
      `SA08.${n}`,
      `${why} is ${code} for findSimilar`,
      { path: '/v1/findSimilar', body: { url } },
      failing(status, code),
    ),
  ),
  send(
    'SA09',
    'contents of one name with a private address is 400',
    { path: '/v1/contents', body: { urls: ['http://private.example.org/'] } },
    failing(400, 'url_not_allowed'),
  ),
  send(
    'SA10',
    'a refusal tells no resolved address',
    reading('http://private.example.org/'),
    failing(400, 'url_not_allowed', { text: /^(?!.*10\.1\.2\.3)/ }),
  ),
];
