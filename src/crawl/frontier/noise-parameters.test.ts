import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createNoiseParameters } from './noise-parameters.ts';

const at = (path: string): string => `http://a.test${path}`;

test('a parameter that changes nothing twice is left out from then on, on its host', () => {
  const noise = createNoiseParameters();
  assert.equal(noise.note(at('/p?sid=1&n=2'), 'p'), false);
  assert.equal(noise.note(at('/p?sid=2&n=2'), 'p'), true);
  assert.equal(noise.strip(at('/p?sid=3')), at('/p?sid=3'));
  noise.note(at('/q'), 'q');
  assert.equal(noise.note(at('/q?sid=4'), 'q'), true);
  assert.equal(noise.strip(at('/r?sid=5')), at('/r'));
  assert.equal(noise.strip(at('/r?sid=5&n=1')), at('/r?n=1'));
  assert.equal(noise.strip('http://b.test/r?sid=5'), 'http://b.test/r?sid=5');
});

test('a parameter that has changed a page once is never noise', () => {
  const noise = createNoiseParameters();
  noise.note(at('/list?page=1'), 'first');
  noise.note(at('/list?page=2'), 'second');
  for (const path of ['/a', '/b', '/c']) {
    noise.note(at(`${path}?page=1`), path);
    noise.note(at(`${path}?page=2`), path);
  }
  assert.equal(noise.strip(at('/x?page=3')), at('/x?page=3'));
});

test('addresses that differ in two parameters prove nothing about either', () => {
  const noise = createNoiseParameters();
  for (const path of ['/a', '/b', '/c']) {
    noise.note(at(`${path}?x=1&y=1`), path);
    assert.equal(noise.note(at(`${path}?x=2&y=2`), path), true);
  }
  assert.equal(noise.strip(at('/d?x=1&y=1')), at('/d?x=1&y=1'));
});

test('the same text at another path is another page', () => {
  const noise = createNoiseParameters();
  noise.note(at('/a'), 'text');
  assert.equal(noise.note(at('/b'), 'text'), false);
});
