import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createProgressLine, type Progress } from './progress-line.ts';

const progress = (done: number, more: Partial<Progress> = {}): Progress => ({
  done,
  total: 10,
  unit: 'page',
  facts: ['3.1/s', '0 failed'],
  ...more,
});

function lineOn({ isTTY, columns = 80 }: { isTTY: boolean; columns?: number }) {
  const written: string[] = [];
  const clock = { ms: 0, now: () => clock.ms };
  const stream = { isTTY, columns, write: (text: string) => written.push(text) > 0 };
  return { line: createProgressLine(stream, clock), written, clock };
}

describe('on a terminal', () => {
  test('redraws one line in place: bar, count, facts and detail', () => {
    const { line, written, clock } = lineOn({ isTTY: true });
    line.show(progress(5, { detail: 'https://example.org/' }));
    clock.ms = 1_000;
    line.show(progress(10));
    line.stop();
    const half = `${'█'.repeat(12)}${'░'.repeat(12)}`;
    assert.deepEqual(written, [
      `\r${half} 5/10 pages  3.1/s  0 failed  https://example.org/\x1b[K`,
      `\r${'█'.repeat(24)} 10/10 pages  3.1/s  0 failed\x1b[K`,
      '\n',
    ]);
  });

  test('draws at most ten times a second, and the last state when it stops', () => {
    const { line, written, clock } = lineOn({ isTTY: true });
    for (let done = 0; done < 10; done += 1) {
      clock.ms = done * 20;
      line.show(progress(done));
    }
    assert.equal(written.length, 2);
    line.stop();
    assert.match(written[2] ?? '', /9\/10 pages/);
    assert.deepEqual(written.slice(3), ['\n']);
  });

  test('never wraps: the line is cut to the width of the terminal', () => {
    const { line, written } = lineOn({ isTTY: true, columns: 40 });
    line.show(progress(5, { detail: 'https://example.org/a/long/path' }));
    assert.equal(written[0]?.length, 39 + '\r\x1b[K'.length);
  });

  test('leaves out what does not fit, rather than half of a number', () => {
    const { line, written } = lineOn({ isTTY: true, columns: 41 });
    line.show(progress(5, { total: null, facts: ['1800 pages/s', '12 MB/s', '39990 copies', '7 failed'] }));
    assert.deepEqual(written, ['\r5 pages  1800 pages/s  12 MB/s  7 failed\x1b[K']);
  });

  test('shows a count without a bar while the total is unknown', () => {
    const { line, written } = lineOn({ isTTY: true });
    line.show(progress(7, { total: null }));
    assert.deepEqual(written, ['\r7 pages  3.1/s  0 failed\x1b[K']);
  });

  test('a total of zero and more done than expected draw a valid bar', () => {
    const { line, written, clock } = lineOn({ isTTY: true });
    line.show(progress(0, { total: 0 }));
    clock.ms = 1_000;
    line.show(progress(12));
    assert.match(written[0] ?? '', /^\r░{24} 0\/0 pages/);
    assert.match(written[1] ?? '', /^\r█{24} 12\/10 pages/);
  });

  test('stops once, and writes nothing if nothing was shown', () => {
    const { line, written } = lineOn({ isTTY: true });
    line.stop();
    assert.deepEqual(written, []);
    line.show(progress(1));
    line.stop();
    line.stop();
    assert.equal(written.filter((text) => text === '\n').length, 1);
  });
});

test('elsewhere it prints a plain line every two seconds', () => {
  const { line, written, clock } = lineOn({ isTTY: false });
  for (const ms of [0, 500, 1_999, 2_000, 3_999]) {
    clock.ms = ms;
    line.show(progress(ms, { detail: 'https://example.org/' }));
  }
  line.stop();
  assert.deepEqual(written, ['0 pages, 3.1/s, 0 failed\n', '2000 pages, 3.1/s, 0 failed\n']);
});
