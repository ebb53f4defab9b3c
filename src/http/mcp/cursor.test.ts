import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { CHARS_PER_TOKEN } from '../../contract/limits.ts';
import { computeDigest, cutPart, readCursor, writeCursor } from './call-tool.ts';

const piece = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 60 }),
  fc.constantFrom('\n', '\n\n', '. ', ' ', '😀'),
);
const text = fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join(''));

test('parts fit the budget and join to the whole text', () => {
  fc.assert(
    fc.property(
      text,
      fc.integer({ min: 3, max: 100 }),
      fc.integer({ min: 0, max: 400 }),
      (whole, tokensMax, footerChars) => {
        let joined = '';
        for (let offset: number | null = 0; offset !== null; ) {
          const { part, next } = cutPart(whole, { offset, tokensMax, footerChars });
          const room =
            tokensMax * CHARS_PER_TOKEN -
            (next === null ? 0 : Math.min(footerChars, tokensMax * CHARS_PER_TOKEN - 2));
          assert.ok(part.length <= room, `${part.length} in ${room}`);
          if (next !== null) assert.ok(next > offset);
          assert.ok(part.isWellFormed() || !whole.isWellFormed());
          joined += part;
          offset = next;
        }
        assert.equal(joined, whole);
      },
    ),
  );
});

test('text is cut between paragraphs rather than lines, and lines rather than words', () => {
  const cut = (whole: string): string => cutPart(whole, { offset: 0, tokensMax: 5, footerChars: 0 }).part;
  assert.equal(cut('one two three.\n\nfour five six'), 'one two three.\n\n');
  assert.equal(cut('one two three.\nfour five six'), 'one two three.\n');
  assert.equal(cut('one two three. four five six'), 'one two three. ');
  assert.equal(cut('onetwothreefourfivesix'), 'onetwothreefourfives');
});

test('a part begins within its text and fits its budget', () => {
  const part = (offset: number, footerChars = 0) =>
    cutPart('x'.repeat(50), { offset, tokensMax: 5, footerChars });
  for (const offset of [-1, 51, Number.NaN])
    assert.throws(() => part(offset), /begins within its text/, String(offset));
  assert.throws(() => part(0, -1), /fits its budget/);
});

test('a written cursor can be read, anything else is rejected', () => {
  const cursor = { offset: 4_711, digest: computeDigest('a text') };
  assert.deepEqual(readCursor(` ${writeCursor(cursor)} `), cursor);
  for (const other of ['', '1', '1.2', `-1.${cursor.digest}`, `1e3.${cursor.digest}`, `1.${cursor.digest}x`])
    assert.equal(readCursor(other), null, other);
});
