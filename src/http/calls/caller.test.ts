import assert from 'node:assert/strict';
import type { IncomingHttpHeaders } from 'node:http';
import { test } from 'node:test';
import type { FoundKey } from '../../billing/keys/known-keys.ts';
import { type CallerRules, findPayer, identifyCaller } from './caller.ts';

const address = '192.0.2.7';
const KEYS: Record<string, FoundKey> = {
  one: { keyId: 'key_1', noStore: false },
  two: { keyId: 'key_2', noStore: false },
};

const RULES: CallerRules = {
  findKey: async (key) => KEYS[key] ?? null,
  isUnmetered: () => false,
  terms: { keylessPerDay: 25, freeKeys: true, sells: true },
};

async function asked(
  headers: IncomingHttpHeaders,
  body: Record<string, unknown> = {},
  rules: Partial<CallerRules> = {},
): Promise<string> {
  const caller = await identifyCaller({ headers, body, address }, { ...RULES, ...rules });
  const payer = findPayer(caller);
  const name = payer.kind === 'key' ? payer.keyId : `keyless ${payer.address}`;
  return caller.kind === 'unmetered' ? `${name}, unmetered` : name;
}

const keyless = `keyless ${address}`;
const cases: [headers: IncomingHttpHeaders, body: Record<string, unknown>, caller: string][] = [
  [{}, {}, keyless],
  [{ authorization: 'Bearer one' }, {}, 'key_1'],
  [{ authorization: 'bearer  one ' }, {}, 'key_1'],
  [{ authorization: 'one' }, {}, 'key_1'],
  [{ authorization: '  one ', 'x-api-key': 'two' }, {}, 'key_1'],
  [{ 'x-api-key': 'one' }, {}, 'key_1'],
  [{}, { api_key: 'one' }, 'key_1'],
  // Precedence.
  [{ authorization: 'Bearer one', 'x-api-key': 'two' }, { api_key: 'two' }, 'key_1'],
  [{ 'x-api-key': 'one' }, { api_key: 'two' }, 'key_1'],
  // A value that is not a key, wherever it is, falls through to the next place.
  [{ authorization: 'Bearer keyless', 'x-api-key': 'one' }, {}, 'key_1'],
  [{ authorization: 'Bearer', 'x-api-key': '' }, { api_key: 'one' }, 'key_1'],
  [{ authorization: 'Bearer KEYLESS', 'x-api-key': ' keyless ' }, { api_key: 'Keyless' }, keyless],
  [{ authorization: 'Basic b25l' }, {}, keyless],
  [{ authorization: 'Keyless', 'x-api-key': 'one' }, {}, 'key_1'],
  [{ authorization: 'BEARER', 'x-api-key': 'one' }, {}, 'key_1'],
  [{ authorization: 'Basic b25l', 'x-api-key': 'one' }, {}, 'key_1'],
  [{}, { api_key: null }, keyless],
  // Some clients also send the camelCase spelling by mistake; it is never read.
  [{}, { apiKey: 'one' }, keyless],
];
for (const [headers, body, caller] of cases)
  test(`${JSON.stringify(headers)} ${JSON.stringify(body)} is ${caller}`, async () => {
    assert.equal(await asked(headers, body), caller);
  });

test('the first real key decides: when it is unknown, later places are not tried', async () => {
  await assert.rejects(asked({ authorization: 'Bearer nobody', 'x-api-key': 'one' }), {
    code: 'invalid_api_key',
  });
  await assert.rejects(asked({ authorization: 'nobody', 'x-api-key': 'one' }), {
    code: 'invalid_api_key',
  });
  await assert.rejects(asked({}, { api_key: 'nobody' }), { code: 'invalid_api_key' });
});

test('a body key that is not a string is refused by name', async () => {
  await assert.rejects(asked({}, { api_key: 7 }), {
    code: 'validation_error',
    message: 'api_key: must be a string',
  });
});

test('a caller from an unmetered network stays who it is, and an unknown key stays unknown', async () => {
  const rules = { isUnmetered: (from: string) => from === address };
  assert.equal(await asked({}, {}, rules), `${keyless}, unmetered`);
  assert.equal(await asked({ 'x-api-key': 'one' }, {}, rules), 'key_1, unmetered');
  await assert.rejects(asked({ 'x-api-key': 'nobody' }, {}, rules), { code: 'invalid_api_key' });
});

test('without metering nobody is asked for a key, and one that is sent is not looked up', async () => {
  const rules = { terms: null, findKey: async () => assert.fail('looked up') };
  for (const headers of [{}, { 'x-api-key': 'one' }, { authorization: 'Bearer nobody' }])
    assert.equal(await asked(headers, { api_key: 7 }, rules), `${keyless}, unmetered`);
});
