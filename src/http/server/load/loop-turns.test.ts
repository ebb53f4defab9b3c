import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLoopTurns, SLICE_MS } from './loop-turns.ts';

/** LoopTurns on a loop whose time and passes the test drives; each request takes `ms` when it begins and notes its name. */
function driven() {
  let at = 0;
  let passes: (() => void)[] = [];
  const began: string[] = [];
  const turns = createLoopTurns({ now: () => at, nextPass: (run) => void passes.push(run) });
  return {
    began,
    turns,
    take(name: string, whose: { address: string; claim?: string }, ms: number): void {
      turns.take({ claim: '', ...whose }, () => {
        began.push(name);
        at += ms;
      });
    },
    pass(): void {
      const due = passes;
      passes = [];
      for (const run of due) run();
    },
    isIdle: () => passes.length === 0,
  };
}

const A = { address: '192.0.2.1' };
const B = { address: '192.0.2.2' };

test('requests begin at once while the loop has time', () => {
  const { take, began, turns, pass, isIdle } = driven();
  for (let nth = 0; nth < 20; nth += 1) take(`a${nth}`, A, 0.1);
  assert.deepEqual([began.length, turns.waiting()], [20, 0]);
  pass();
  assert.ok(isIdle());
});

test('a request behind many costly ones of another address begins in the next pass', () => {
  const { take, began, pass, turns } = driven();
  for (let nth = 0; nth < 24; nth += 1) take(`a${nth}`, A, 15);
  take('b', B, 1);
  assert.deepEqual(began, ['a0']);
  pass();
  assert.equal(began[1], 'b');
  for (let nth = 0; nth < 40; nth += 1) pass();
  assert.deepEqual([began.length, turns.waiting()], [25, 0]);
});

test('no pass begins more once its slice is used up', () => {
  const { take, began, pass } = driven();
  for (let nth = 0; nth < 10; nth += 1) take(`a${nth}`, A, SLICE_MS / 2);
  assert.equal(began.length, 2);
  pass();
  assert.equal(began.length, 4);
});

test('who has used less begins first, however many requests the other has', () => {
  const { take, began, pass } = driven();
  for (let nth = 0; nth < 10; nth += 1) {
    take(`a${nth}`, A, 20);
    take(`b${nth}`, B, 2);
  }
  for (let nth = 0; nth < 5; nth += 1) pass();
  const costly = began.filter((name) => name.startsWith('a')).length;
  assert.ok(began.length - costly > 2 * costly, began.join(' '));
});

test('keys behind one address take turns, and many of them gain nothing over another address', () => {
  const { take, began, pass } = driven();
  for (let nth = 0; nth < 12; nth += 1) take(`a${nth}`, { ...A, claim: `key ${nth % 6}` }, 15);
  take('a, another key', { ...A, claim: 'own' }, 15);
  take('b', B, 15);
  for (let nth = 0; nth < 8; nth += 1) pass();
  assert.ok(began.indexOf('b') <= 2, began.join(' '));
  assert.ok(began.includes('a, another key'), began.join(' '));
});

test('nothing is kept of callers once nobody waits, and nobody is favoured for having been idle', () => {
  const { take, began, pass, isIdle } = driven();
  take('a', A, 500);
  pass();
  assert.ok(isIdle());
  take('a again', A, 20);
  take('a once more', A, 20);
  take('b', B, 20);
  pass();
  pass();
  assert.deepEqual(began, ['a', 'a again', 'b', 'a once more']);
});
