import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assertOperator } from './operator.ts';

describe('the operator', () => {
  const admits = (headers: Record<string, string>, address = '127.0.0.1'): void =>
    assertOperator({ headers, address, token: 'the token' });
  const refuses = (headers: Record<string, string>, address?: string): void =>
    assert.throws(() => admits(headers, address), { code: 'forbidden' });

  test('is who calls from this machine, or sends the token', () => {
    admits({});
    admits({}, '::1');
    admits({ authorization: 'Bearer the token' }, '203.0.113.9');
    refuses({ authorization: 'Bearer another' }, '203.0.113.9');
    refuses({}, '203.0.113.9');
  });

  for (const name of ['x-forwarded-for', 'forwarded', 'x-real-ip', 'via'])
    test(`is nobody whom a proxy of this machine passes on with ${name}`, () => {
      refuses({ [name]: '203.0.113.9' });
      admits({ [name]: '203.0.113.9', authorization: 'Bearer the token' });
    });
});
