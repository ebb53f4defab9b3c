import { type Case, each, failing, sending, served } from './spec-case.ts';

const query = { query: 'survey' };
const placed = sending({ as: 'placed' });
const keyless = sending({ as: 'keyless' });

type Form = { named: string; headers?: Record<string, string>; body?: Record<string, unknown> };

const PATHS = ['/v1/search', '/shapeB/search'] as const;
const REAL: Form[] = [
  { named: 'Authorization: Bearer', headers: { authorization: 'Bearer {key}' } },
  { named: 'authorization in lower case', headers: { authorization: 'bearer {key}' } },
  { named: 'Authorization: BEARER', headers: { authorization: 'BEARER {key}' } },
  { named: 'Authorization without Bearer', headers: { authorization: '{key}' } },
  { named: 'Authorization with spaces around the key', headers: { authorization: 'Bearer   {key}  ' } },
  { named: 'x-api-key', headers: { 'x-api-key': '{key}' } },
  { named: 'x-api-key with spaces around the key', headers: { 'x-api-key': ' {key} ' } },
  { named: 'body api_key', body: { api_key: '{key}' } },
  { named: 'body api_key with spaces around the key', body: { api_key: ' {key} ' } },
];
const NONE: Form[] = [
  { named: 'nothing' },
  { named: 'an empty x-api-key', headers: { 'x-api-key': '' } },
  { named: 'an empty Authorization', headers: { authorization: '' } },
  { named: 'Bearer alone', headers: { authorization: 'Bearer' } },
  { named: 'Bearer and a space', headers: { authorization: 'Bearer ' } },
  { named: 'an empty api_key', body: { api_key: '' } },
  { named: 'api_key null', body: { api_key: null } },
  ...['keyless', 'Keyless', 'KEYLESS'].flatMap((word): Form[] => [
    { named: `Bearer ${word}`, headers: { authorization: `Bearer ${word}` } },
    { named: `x-api-key ${word}`, headers: { 'x-api-key': word } },
    { named: `api_key ${word}`, body: { api_key: word } },
  ]),
  { named: 'keyless without Bearer', headers: { authorization: 'keyless' } },
  { named: 'apiKey in camelCase, which is never read', body: { apiKey: 'nobody' } },
  { named: '?key=, which is never read', headers: {} },
];
const UNKNOWN: Form[] = [
  { named: 'Authorization', headers: { authorization: 'Bearer nobody' } },
  { named: 'Authorization without Bearer', headers: { authorization: 'nobody' } },
  { named: 'x-api-key', headers: { 'x-api-key': 'nobody' } },
  { named: 'api_key', body: { api_key: 'nobody' } },
  { named: 'a key of 10,000 characters', headers: { 'x-api-key': 'k'.repeat(10_000) } },
];
/** Which place decides; the key is in it or behind it. */
const PRECEDENCE: [named: string, form: Omit<Form, 'named'>, status: 200 | 401][] = [
  [
    'Authorization before x-api-key',
    { headers: { authorization: 'Bearer {key}', 'x-api-key': 'nobody' } },
    200,
  ],
  [
    'Authorization before api_key',
    { headers: { authorization: 'Bearer {key}' }, body: { api_key: 'nobody' } },
    200,
  ],
  ['x-api-key before api_key', { headers: { 'x-api-key': '{key}' }, body: { api_key: 'nobody' } }, 200],
  [
    'an unknown Authorization before a good x-api-key',
    { headers: { authorization: 'Bearer nobody', 'x-api-key': '{key}' } },
    401,
  ],
  [
    'an unknown Authorization before a good api_key',
    { headers: { authorization: 'Bearer nobody' }, body: { api_key: '{key}' } },
    401,
  ],
  [
    'an unknown x-api-key before a good api_key',
    { headers: { 'x-api-key': 'nobody' }, body: { api_key: '{key}' } },
    401,
  ],
  [
    'a bare unknown Authorization before a good x-api-key',
    { headers: { authorization: 'nobody', 'x-api-key': '{key}' } },
    401,
  ],
  [
    'keyless in Authorization passes to x-api-key',
    { headers: { authorization: 'Bearer keyless', 'x-api-key': '{key}' } },
    200,
  ],
  [
    'an empty Authorization passes to x-api-key',
    { headers: { authorization: '', 'x-api-key': '{key}' } },
    200,
  ],
  [
    'keyless in x-api-key passes to api_key',
    { headers: { 'x-api-key': 'KEYLESS' }, body: { api_key: '{key}' } },
    200,
  ],
  [
    'empty headers pass to api_key',
    { headers: { authorization: 'Bearer ', 'x-api-key': '' }, body: { api_key: '{key}' } },
    200,
  ],
  [
    'keyless in both headers passes to an unknown api_key',
    { headers: { authorization: 'keyless', 'x-api-key': 'keyless' }, body: { api_key: 'nobody' } },
    401,
  ],
];

const sent = (path: string, { headers = {}, body = {} }: Omit<Form, 'named'>) => ({
  path,
  headers,
  body: { ...query, ...body },
});

/** Every form of a key, the word keyless, unknown keys and which place decides. */
export const KEY_CASES: Case[] = PATHS.flatMap((path, at) => [
  ...each(REAL, (form, n) =>
    placed(`KR${at + 1}.${n}`, `${path} takes the key as ${form.named}`, sent(path, form), served(1)),
  ),
  ...each(NONE, (form, n) =>
    keyless(`KN${at + 1}.${n}`, `${path} takes ${form.named} for no key`, sent(path, form), {
      status: 200,
      counted: 1,
    }),
  ),
  ...each(UNKNOWN, (form, n) =>
    keyless(
      `KU${at + 1}.${n}`,
      `${path} refuses an unknown key in ${form.named}`,
      sent(path, form),
      failing(401, 'invalid_api_key', {
        counted: 0,
        ...(at === 1 ? { is: { detail: { error: 'invalid_api_key' } } } : {}),
      }),
    ),
  ),
  ...each(PRECEDENCE, ([named, form, status], n) =>
    placed(
      `KP${at + 1}.${n}`,
      `${path}: ${named}`,
      sent(path, form),
      status === 200 ? served(1) : failing(401, 'invalid_api_key'),
    ),
  ),
]);
