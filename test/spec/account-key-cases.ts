import { anInteger, type Case, each, failing, posting, sending, served, someText } from './spec-case.ts';

const query = { query: 'survey' };
const placed = sending({ as: 'placed' });
const keyless = sending({ as: 'keyless' });

const BILLED: [path: string, body: object | null][] = [
  ['/v1/contents', { urls: ['{site}/birds'] }],
  ['/v1/findSimilar', { url: '{site}/birds' }],
  ['/shapeB/extract', { urls: ['{site}/birds'] }],
  ['/shapeB/map', { url: '{site}/docs/' }],
  ['/shapeB/crawl', { url: '{site}/docs/', limit: 1 }],
  ['/r/{site}/birds', null],
];

/** Keys on the other billable routes, on the account routes and free keys. */
export const ACCOUNT_KEY_CASES: Case[] = [
  ...each(BILLED, ([path, body], n) =>
    keyless(
      `KB01.${n}`,
      `${path} refuses an unknown key`,
      { path, headers: { 'x-api-key': 'nobody' }, ...(body === null ? {} : { body }) },
      failing(401, 'invalid_api_key', { counted: 0 }),
    ),
  ),
  ...each(BILLED, ([path, body], n) =>
    placed(
      `KB02.${n}`,
      `${path} takes a bare Authorization for the key`,
      { path, headers: { authorization: '{key}' }, ...(body === null ? {} : { body }) },
      served(1),
    ),
  ),
  ...each(BILLED, ([path, body], n) =>
    keyless(
      `KB03.${n}`,
      `${path} counts one free request without a key`,
      { path, ...(body === null ? {} : { body }) },
      { status: 200, counted: 1 },
    ),
  ),
  ...each(
    BILLED.filter(([, body]) => body !== null),
    ([path, body], n) =>
      placed(
        `KB04.${n}`,
        `${path} takes the key as body api_key`,
        { path, body: { ...body, api_key: '{key}' } },
        served(1),
      ),
  ),
  ...each([7, true, ['{key}'], {}], (value, n) =>
    placed(
      `KB05.${n}`,
      `api_key ${JSON.stringify(value)} is refused`,
      { path: '/v1/search', body: { ...query, api_key: value } },
      { status: 422, code: 'validation_error', field: 'api_key', counted: 1 },
    ),
  ),
  ...each(
    [
      { authorization: 'Bearer {key}' },
      { authorization: '{key}' },
      { 'x-api-key': '{key}' },
      { authorization: 'Bearer keyless', 'x-api-key': '{key}' },
    ],
    (headers, n) =>
      placed(
        `KA01.${n}`,
        `balance takes the key as ${Object.keys(headers).join(' and ')}`,
        { path: '/v1/balance', headers },
        { status: 200, is: { credits: 10 } },
      ),
  ),
  ...each(
    [
      {},
      { 'x-api-key': '' },
      { 'x-api-key': 'keyless' },
      { authorization: 'Bearer Keyless' },
      { 'x-api-key': 'nobody' },
      { authorization: 'nobody' },
    ],
    (headers, n) =>
      placed(
        `KA02.${n}`,
        `balance without a good key is 401: ${JSON.stringify(headers)}`,
        { path: '/v1/balance', headers },
        failing(401, 'invalid_api_key'),
      ),
  ),
  ...each(['key', 'api_key', 'apiKey', 'x-api-key'], (name, n) =>
    placed(
      `KA03.${n}`,
      `balance does not accept ?${name}=`,
      { path: `/v1/balance?${name}={key}` },
      failing(401, 'invalid_api_key'),
    ),
  ),
  ...each(
    [{ authorization: 'Bearer {key}' }, { authorization: '{key}' }, { 'x-api-key': '{key}' }],
    (headers, n) =>
      placed(
        `KA04.${n}`,
        `auto-reload takes the key as ${Object.keys(headers)}`,
        { path: '/v1/billing/auto-reload', headers, body: { enabled: false } },
        { status: 200, is: { 'auto_reload.enabled': false } },
      ),
  ),
  ...each([{}, { 'x-api-key': 'keyless' }, { authorization: '' }, { 'x-api-key': 'nobody' }], (headers, n) =>
    placed(
      `KA05.${n}`,
      `auto-reload without a good key is 401: ${JSON.stringify(headers)}`,
      { path: '/v1/billing/auto-reload', headers, body: { enabled: false } },
      failing(401, 'invalid_api_key'),
    ),
  ),
  placed(
    'KA06',
    'auto-reload takes the key in a header only',
    { path: '/v1/billing/auto-reload', body: { enabled: false, api_key: '{key}' } },
    failing(401, 'invalid_api_key'),
  ),
  placed(
    'KA07',
    'a 401 comes before the body is judged',
    { path: '/v1/search', headers: { 'x-api-key': 'nobody' }, body: {} },
    failing(401, 'invalid_api_key'),
  ),

  ...freeKeys(),
];

function freeKeys(): Case[] {
  const claim = (
    id: string,
    holds: string,
    from: string,
    expect: Case['expect'],
    before: string[] = [],
  ): Case => ({
    ...posting('/v1/keys/free', { as: 'keyless' })(id, holds, {}, expect),
    before: before.map((first) => ({ path: '/v1/keys/free', body: {}, from: first })),
    send: { path: '/v1/keys/free', body: {}, from },
  });
  const issued = failing(409, 'free_key_already_issued', { message: /\S/ });
  const given = { status: 200, is: { apiKey: someText, credits: 2_500 } };
  return [
    claim('KF01', 'a free key carries 2,500 credits', '{net}.1', {
      status: 200,
      is: { apiKey: someText, credits: anInteger },
    }),
    claim('KF02', 'it is 2,500 exactly', '{net}.1', given),
    claim('KF03', 'the same address is 409', '{net}.1', issued, ['{net}.1']),
    claim('KF04', 'another address of the /24 is 409', '{net}.254', issued, ['{net}.1']),
    claim('KF05', 'an address of the next /24 gets a key', '198.51.100.7', given, ['{net}.1']),
    claim('KF06', 'another address of the IPv6 /48 is 409', '{net6}:ffff::1', issued, ['{net6}:1::1']),
    claim('KF07', 'an address of another IPv6 /48 gets a key', '2001:db9:7::1', given, ['{net6}::1']),
    claim('KF08', 'an IPv4 address written as IPv6 is of its /24', '::ffff:{net}.9', issued, ['{net}.1']),
    {
      ...claim('KF09', 'a body is not needed', '{net}.1', given),
      send: { method: 'POST', path: '/v1/keys/free', from: '{net}.1' },
    },
    {
      ...claim('KF10', 'no body is refused', '{net}.1', given),
      send: { path: '/v1/keys/free', body: '{', from: '{net}.1' },
    },
    claim('KF11', 'the key is never cached on its way', '{net}.1', {
      status: 200,
      headers: { 'cache-control': /no-store/ },
    }),
  ];
}
