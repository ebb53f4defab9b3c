import assert from 'node:assert/strict';
import type { IncomingHttpHeaders } from 'node:http';
import { test } from 'node:test';
import type { FoundKey } from '../../billing/keys/keys.ts';
import { callerOf } from './caller.ts';

const address = '192.0.2.7';
const KEYS: Record<string, FoundKey> = {
  one: { keyId: 'key_1', noStore: false },
  two: { keyId: 'key_2', noStore: false },
};

async function asked(headers: IncomingHttpHeaders, body: Record<string, unknown> = {}): Promise<string> {
  const caller = await callerOf({ headers, body, address }, async (key) => KEYS[key] ?? null);
  return caller.kind === 'key' ? caller.keyId : `keyless ${caller.address}`;
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
