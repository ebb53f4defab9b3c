import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readLiteral } from './read-literal.ts';

const read = (script: string): unknown => JSON.parse(JSON.stringify(readLiteral(script, 0) ?? null));

test('data in a script are read without running it', () => {
  assert.deepEqual(read(`{a: 'x', "b": [1, -2, !0, null, void 0], c: new Date(5), d: JSON.parse("[1]")}`), {
    a: 'x',
    b: [1, -2, true, null, null],
    c: 5,
    d: [1],
  });
});

test('a function that is called at once returns its data', () => {
  assert.deepEqual(read('(function(a,b){b.t="x";return {l:[a,b]}}("y",{}))'), { l: ['y', { t: 'x' }] });
  assert.deepEqual(read('((a)=>({l:a}))(1)'), { l: 1 });
});

test('what is no data is left out, and code is never called', () => {
  assert.deepEqual(read('{a: window.alert(1), b: fetch("/x"), c: process.exit(), d: () => 1}'), {
    a: 1,
  });
  assert.equal(readLiteral('{a: ', 0), undefined);
  assert.equal(readLiteral('['.repeat(100_000), 0), undefined);
});

test('the name __proto__ is a name like any other', () => {
  const object = readLiteral('{"__proto__": {"polluted": 1}}', 0) as object;
  assert.equal(Reflect.getPrototypeOf(object), null);
  assert.equal(({} as { polluted?: number }).polluted, undefined);
});
