import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseHttpDate, parseInstant } from './instant.ts';

test('instants as people, programs and archives write them', () => {
  for (const [text, instant] of [
    ['2026-11-28T10:20:30.123Z', '2026-11-28T10:20:30.123Z'],
    ['2026-11-28T10:20:30Z', '2026-11-28T10:20:30.999Z'],
    ['2026-11-28T12:20:30+02:00', '2026-11-28T10:20:30.999Z'],
    ['2026-11-28T10:20', '2026-11-28T10:20:59.999Z'],
    ['20261128102030', '2026-11-28T10:20:30.999Z'],
    ['2026-11-28', '2026-11-28T23:59:59.999Z'],
  ] as const)
    assert.equal(new Date(parseInstant(text) ?? 0).toISOString(), instant, text);
  for (const text of ['', '7', 'yesterday', '2026-13-01', '28.11.2026', '20269999999999'])
    assert.equal(parseInstant(text), null, text);
});

test('dates of headers have one form', () => {
  const at = parseHttpDate('Sat, 28 Nov 2026 10:20:30 GMT');
  assert.equal(new Date(at ?? 0).toISOString(), '2026-11-28T10:20:30.999Z');
  for (const text of ['', '2026-11-28', 'Sat, 28 Nov 2026', 'Saturday, 28-Nov-26 10:20:30 GMT'])
    assert.equal(parseHttpDate(text), null, text);
});
