import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLog } from './log.ts';

test('an error is logged with its type, message and stack, but without its input', () => {
  const lines: string[] = [];
  const log = createLog('info', { write: (line) => void lines.push(line) });
  const parse = (): unknown => new URL('/page?token=f3a91c', 'no address');
  assert.throws(parse, (err) => {
    log.error({ err }, 'request failed');
    return true;
  });
  const { err } = JSON.parse(lines.join(''));
  assert.deepEqual(Object.keys(err), ['type', 'message', 'stack', 'code']);
  assert.deepEqual([err.type, err.message, err.code], ['TypeError', 'Invalid URL', 'ERR_INVALID_URL']);
  assert.doesNotMatch(lines.join(''), /f3a91c/);
});
