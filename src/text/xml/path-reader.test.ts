import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createPathReader, XML_DEPTH_MAX } from './path-reader.ts';

type Work = { opened: number; closed: number; deepest: number; texts: string[] };

function read(...pieces: string[]): Work {
  const work: Work = { opened: 0, closed: 0, deepest: 0, texts: [] };
  const reader = createPathReader(
    {
      onOpen(path) {
        work.opened += 1;
        work.deepest = Math.max(work.deepest, path.length);
      },
      onText: (_path, text) => work.texts.push(text),
      onClose: () => {
        work.closed += 1;
      },
    },
    (name) => name,
  );
  for (const piece of pieces) reader.write(piece);
  reader.end();
  return work;
}

describe('the depth of XML', () => {
  test('is bounded: reading ends there, and everything open is closed', () => {
    const { texts, ...work } = read(`first${'<a>'.repeat(100_000)}`, '<b>later</b>');
    assert.deepEqual(work, { opened: XML_DEPTH_MAX, closed: XML_DEPTH_MAX, deepest: XML_DEPTH_MAX });
    assert.deepEqual(texts, ['first']);
  });

  test('counts elements that are open, not all of them', () => {
    const { opened, closed, deepest, texts } = read('<list>', '<item>x</item>'.repeat(10_000), '</list>');
    assert.deepEqual([opened, closed, deepest, texts.length], [10_001, 10_001, 2, 10_000]);
  });

  test('may be reached exactly', () => {
    const { texts, deepest } = read(`${'<a>'.repeat(XML_DEPTH_MAX)}deep${'</a>'.repeat(XML_DEPTH_MAX)}`);
    assert.deepEqual([texts, deepest], [['deep'], XML_DEPTH_MAX]);
  });
});
