import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createBatchingStream, createLog, type Log } from './log.ts';

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

describe('lines in batches', () => {
  function kept(): { log: Log; written: string[][] } {
    const written: string[][] = [];
    const messages = (batch: string): string[] =>
      batch
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line).msg);
    const log = createLog(
      'info',
      createBatchingStream({ write: (batch) => void written.push(messages(batch)) }),
    );
    return { log, written };
  }

  test('a warning or an error is written at once, after what came before it', () => {
    const { log, written } = kept();
    log.info('one');
    log.info('two');
    assert.deepEqual(written, []);
    log.warn('three');
    log.error('four');
    assert.deepEqual(written, [['one', 'two', 'three'], ['four']]);
  });

  test('other lines are written together after a while, or when there are many', (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { log, written } = kept();
    log.info('one');
    t.mock.timers.tick(60);
    log.info('two');
    t.mock.timers.tick(39);
    assert.deepEqual(written, []);
    t.mock.timers.tick(1);
    assert.deepEqual(written, [['one', 'two']]);
    for (let count = 0; count < 200; count += 1) log.info('more');
    assert.ok(written.length > 1 && written.length < 20, String(written.length));
  });

  test('the end of the process writes what is left', () => {
    const { log, written } = kept();
    log.info('one');
    process.emit('exit', 0);
    assert.deepEqual(written, [['one']]);
  });
});
