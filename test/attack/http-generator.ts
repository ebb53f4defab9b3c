/** Generates hostile HTTP requests from a seed. */
export type FuzzRequest = {
  bytes: Buffer;
  /** Whether the request is complete, so that the service must respond and close the connection. */
  isWhole: boolean;
};

/** Returns a random number in [0, 1) at each call: mulberry32, by Tommy Ettinger, public domain. */
export function createRandom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const GET_PATHS =
  '/ /pricing /account /success /docs /openapi.json /llms.txt /healthz /readyz /metrics /v1/sources /v1/balance /buy/instant /buy/scale /site.css /favicon.svg /sandbox/pay/x /r /r/https://example.invalid/ /s /s/q /nothing /searxng/search?q=q /searxng/x/search /searxng/config /res/v1/web/search?q=q /res/v1/llm/context?q=q /tools.json';
const POST_PATHS =
  '/v1/search /search /shapeA/search /v1/contents /v1/findSimilar /v1/research /v1/verify /v1/rerank /r /s /shapeB/search /shapeB/extract /shapeB/crawl /shapeB/map /mcp /v1/keys/free /v1/billing/auto-reload /webhooks/stripe /account /account/sign-out /account/keys /account/keys/x/rotate /account/billing/auto-reload /account/recover /success /sandbox/pay/x /searxng/search /openwebui/search /openwebui/load /pplx/search /linkup/v1/search /linkup/v1/fetch';
const FIELDS =
  'query url urls ids text highlights numResults num_results max_results include_domains includeDomains excludeDomains startPublishedDate contents summary livecrawl topic days time_range include_answer include_raw_content search_depth limit max_depth instructions select_paths quote quotes question searches pages seconds tokens api_key enabled threshold pack monthly_max_usd q exclude category type country __proto__ constructor toString';
const HEADERS =
  'Authorization x-api-key Content-Type Accept Accept-Encoding Origin Referer Cookie Range If-None-Match If-Modified-Since Stripe-Signature Mcp-Session-Id Mcp-Protocol-Version Access-Control-Request-Method Access-Control-Request-Headers X-Forwarded-Proto Forwarded Via Expect TE Upgrade Content-Encoding X-Request-Id User-Agent';
const HEADER_VALUES = [
  ...['', ' ', 'keyless', 'Bearer', 'Bearer x', 'Bearer keyless', 'Basic eDp5', 'null', '*', '*/*;q=nan'],
  ...['text/html', 'application/json; charset=utf-7', 'text/event-stream', 'multipart/form-data', 'bytes=0-'],
  ...[
    'http://evil.example',
    'null,null',
    '100-continue',
    '200-maybe',
    't=1,v1=',
    't=9e99,v1=00,v1=zz',
    'gzip',
  ],
  ...['websocket', '../../etc/passwd', '%{jndi:ldap://x}', '\xff\xfe', '%00', '-1', '1e309', 'é', '\t'],
];
const STRINGS = [
  ...['', ' ', 'q', '\u0000', '\ud800', '😀'.repeat(9), 'a'.repeat(2_100), '2024-02-30', '0001-01-01', 'NaN'],
  ...[
    'http://127.0.0.1/',
    'https://example.invalid/a?b#c',
    'file:///etc/passwd',
    '//x',
    'http://[::1]:99999/',
  ],
  ...[
    'http://user:pw@example.invalid',
    'javascript:1',
    'www.com',
    '*.org',
    '-',
    '(((((',
    "'; drop table keys",
    'auto',
  ],
];
const NUMBERS = [
  '0',
  '-0',
  '-1',
  '1',
  '25',
  '1e3',
  '1e309',
  '-1e-400',
  '9007199254740993',
  '0.1',
  '3.7',
  '1e21',
];
const METHODS = [
  'PUT',
  'DELETE',
  'PATCH',
  'TRACE',
  'OPTIONS',
  'HEAD',
  'CONNECT',
  'PROPFIND',
  'get',
  'M-SEARCH',
  'X',
];
const TOOLS = [
  'search',
  'contents',
  'read',
  'find_similar',
  'crawl',
  'map',
  'deep_research',
  'balance',
  'verify',
  'x',
];

/** Makes requests; the same random numbers make the same requests. */
export function createGenerator(random: () => number): () => FuzzRequest {
  const below = (max: number): number => Math.floor(random() * max);
  const chance = (probability: number): boolean => random() < probability;
  const oneOf = <T>(list: readonly T[]): T => list[below(list.length)] as T;
  const word = (list: string): string => oneOf(list.split(' '));

  function value(depth: number): string {
    const kind = below(depth > 4 ? 4 : 7);
    if (kind === 0) return oneOf(NUMBERS);
    if (kind === 1) return oneOf(['true', 'false', 'null']);
    if (kind < 4) return JSON.stringify(oneOf(STRINGS));
    const count = below(4);
    if (kind === 4) return `[${Array.from({ length: count }, () => value(depth + 1)).join(',')}]`;
    return object(Array.from({ length: count }, () => [word(FIELDS), value(depth + 1)]));
  }
  const object = (entries: string[][]): string =>
    `{${entries.map(([name, inner]) => `${JSON.stringify(name)}:${inner}`).join(',')}}`;

  function json(): string {
    const entries = Array.from({ length: below(7) }, () => [word(FIELDS), value(0)]);
    if (chance(0.7)) entries.push(['query', '"birds"'], ['url', '"https://example.invalid/"']);
    return object(entries);
  }

  function message(): string {
    const method = oneOf([
      'tools/call',
      'tools/call',
      'tools/list',
      'initialize',
      'ping',
      'notifications/x',
      '',
    ]);
    const params = `{"name":"service_${oneOf(TOOLS)}","arguments":${chance(0.8) ? json() : value(0)}}`;
    return `{"jsonrpc":"2.0","id":${value(5)},"method":"${method}","params":${chance(0.9) ? params : value(0)}}`;
  }

  function body(path: string): Buffer {
    const kind = below(12);
    if (kind === 0) return Buffer.from(Array.from({ length: below(400) }, () => below(256)));
    if (kind === 1) return Buffer.from(json().slice(0, -1 - below(5)));
    if (kind === 2) return Buffer.from(oneOf(['[', '{"a":', '{"query":"q","a":']).repeat(1 + below(3_000)));
    if (kind === 3)
      return Buffer.from(`a=${encodeURIComponent(oneOf(STRINGS.slice(5)))}&key=%zz&&=&pack=builder`);
    if (kind === 4)
      return Buffer.alloc(chance(0.1) ? 1_100_000 : below(3_000), oneOf(['{', ' ', '"', '\\', '[1,']));
    return Buffer.from(path === '/mcp' && chance(0.9) ? message() : json());
  }

  function target(path: string): string {
    const kind = below(10);
    if (kind > 3) return path;
    const text = oneOf(STRINGS);
    if (kind === 0) return `${path}?${word(FIELDS)}=${chance(0.5) ? encode(text) : '%zz%'}&q=birds`;
    if (kind === 1) return `/r/${chance(0.5) ? encode(text) : text.replace(/[^!-~]/g, '')}`;
    if (kind === 2)
      return oneOf(['/', '//', '/./', '/../', '/%2e%2e/', '/%00', '/%', 'http://a', '*', '']) + path;
    return (
      path + oneOf(['/', '//', '%20', ';a=b', '#f', '?', '??', '/%c0%ae', `/${'a'.repeat(below(9_000))}`])
    );
  }

  function head(method: string, path: string): string[] {
    const lines = [`${method} ${target(path)} HTTP/1.1`, 'Host: a', 'Connection: close'];
    // A new network each time, with its own free allowance, so that calls get past the charge.
    lines.push(`X-Forwarded-For: 198.${18 + below(2)}.${below(256)}.${below(256)}`);
    for (let count = below(4); count > 0; count -= 1) lines.push(`${word(HEADERS)}: ${oneOf(HEADER_VALUES)}`);
    return lines;
  }

  function framed(lines: string[], content: Buffer): FuzzRequest {
    const whole = (extra: string[], after: Buffer): FuzzRequest => ({
      bytes: Buffer.concat([Buffer.from(`${[...lines, ...extra].join('\r\n')}\r\n\r\n`, 'latin1'), after]),
      isWhole: !extra.concat(lines).some((line) => /^(?:expect|upgrade):/i.test(line)),
    });
    if (chance(0.8)) return whole([`Content-Length: ${content.length}`], content);
    const chunk = Buffer.concat([
      Buffer.from(`${content.length.toString(16)}\r\n`),
      content,
      Buffer.from('\r\n0\r\n\r\n'),
    ]);
    if (chance(0.5) && content.length > 0) return whole(['Transfer-Encoding: chunked'], chunk);
    const odd = oneOf([
      ['Content-Length: 5', 'Content-Length: 6'],
      ['Content-Length: 10', 'Transfer-Encoding: chunked'],
      ...[
        ['Transfer-Encoding: gzip'],
        ['Transfer-Encoding: chunked'],
        ['Content-Length: -1'],
        ['Content-Length: 9e9'],
      ],
      ...[
        ['no colon'],
        [' folded: line'],
        [`X: ${'a'.repeat(40_000)}`],
        ['A\u0000: b'],
        [`Content-Length: ${content.length + 9}`],
      ],
    ]);
    return { ...whole(odd, content), isWhole: false };
  }

  return () => {
    if (chance(0.03))
      return { bytes: Buffer.from(Array.from({ length: 1 + below(200) }, () => below(256))), isWhole: false };
    const isPost = chance(0.65);
    const path = word(isPost ? POST_PATHS : GET_PATHS);
    const method = chance(0.06) ? oneOf(METHODS) : isPost ? 'POST' : 'GET';
    const request =
      isPost || chance(0.1)
        ? framed(head(method, path), body(path))
        : framed(head(method, path), Buffer.alloc(0));
    if (chance(0.03))
      return { bytes: request.bytes.subarray(0, below(request.bytes.length)), isWhole: false };
    if (chance(0.03))
      return { bytes: Buffer.concat(Array(1 + below(12)).fill(request.bytes)), isWhole: false };
    return { ...request, isWhole: request.isWhole && method !== 'CONNECT' };
  };
}

function encode(text: string): string {
  return encodeURIComponent(text.replace('\ud800', '�'));
}
