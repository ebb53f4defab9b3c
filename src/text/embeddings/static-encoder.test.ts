import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findEncoder } from './encoder-for.ts';
import { computeCosine, createStaticEncoder } from './static-encoder.ts';
import { openTable, packTable, quantizeRows } from './token-table.ts';

const tiny = (): ReturnType<typeof createStaticEncoder> =>
  createStaticEncoder(
    openTable(packTable(['[UNK]', 'north', 'east'], quantizeRows([0, 0, 127, 0, 0, 254], 2))),
  );
const one = (text: string): Float32Array => {
  const [vector] = tiny().embed([text]);
  assert.ok(vector);
  return vector;
};

describe('the static encoder', () => {
  it('takes the mean of the vectors of the tokens, of length 1', () => {
    assert.deepEqual([...one('North')], [1, 0]);
    const both = one('north east');
    assert.ok(Math.abs(Math.hypot(...both) - 1) < 1e-6);
    assert.ok(Math.abs((both[1] ?? 0) / (both[0] ?? 1) - 2) < 1e-6);
  });

  it('gives zeros for a text without a known token', () => {
    assert.deepEqual([...one('')], [0, 0]);
    assert.deepEqual([...one('west')], [0, 0]);
  });

  it('gives the same vector whether it kept it or not', () => {
    const encoder = tiny();
    const [kept] = encoder.embed(['north east']);
    assert.equal(encoder.embed(['north east'])[0], kept);
    const [long] = encoder.embed([`${'north east '.repeat(40)}`]);
    assert.ok(Math.abs(computeCosine(long ?? one(''), kept ?? one('')) - 1) < 1e-6);
  });

  it('refuses more texts than it bounds', () => {
    assert.throws(() => tiny().embed(Array.from({ length: 20_001 }, () => '')), RangeError);
  });
});

it('brings together what means the same in other words', () => {
  const encoder = findEncoder('en');
  assert.ok(encoder);
  const [query, right, wrong] = encoder.embed([
    'how do I delete a folder that is not empty',
    'Removes an entire directory tree; the path must point to a directory.',
    'Returns the current time as a floating point number of seconds.',
  ]);
  assert.ok(query && right && wrong);
  assert.ok(computeCosine(query, right) > computeCosine(query, wrong) + 0.15);
});
