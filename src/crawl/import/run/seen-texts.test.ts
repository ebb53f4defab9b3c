import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { asMarkdown, COPY_EVERY, madePage } from '../../../../test/fixtures/corpora/made-pages.ts';
import { openSeenTexts } from './seen-texts.ts';

const folder = mkdtempSync(join(tmpdir(), 'seen-texts-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const words = (from: number, count: number): string[] =>
  Array.from({ length: count }, (_, at) => `word${from + at}`);

describe('copies', () => {
  const page = words(0, 300);
  const changed = (every: number): string =>
    page.map((word, at) => (at % every === 1 ? `new${at}` : word)).join(' ');
  const cases: [name: string, text: string, isCopy: boolean][] = [
    ['the same text', page.join(' '), true],
    ['the same text in other letters and marks', `# ${page.join(' ').toUpperCase()}!`, true],
    ['a text with a sentence more', `${page.join(' ')} and a sentence at its end`, true],
    ['a text with every sixth word changed', changed(6), false],
    ['another text', words(1_000, 300).join(' '), false],
  ];
  for (const [name, text, isCopy] of cases) {
    test(name, async () => {
      const texts = await openSeenTexts(join(folder, name), 0);
      assert.equal(texts.isCopy(page.join(' ')), false);
      assert.equal(texts.isCopy(text), isCopy);
      await texts.close();
    });
  }

  test('texts of a few words are never copies', async () => {
    const texts = await openSeenTexts(join(folder, 'short'), 0);
    assert.equal(texts.isCopy('Moved to a new page'), false);
    assert.equal(texts.isCopy('Moved to a new page'), false);
    assert.equal(texts.count(), 0);
    await texts.close();
  });
});

test('opened again, it judges as if it had never been closed, whatever was written behind the count', async () => {
  const judge = async (stops: number[]): Promise<boolean[]> => {
    const path = join(folder, `resumed-${stops.join('-')}`);
    const judged: boolean[] = [];
    let texts = await openSeenTexts(path, 0);
    for (let number = 0; number < 600; number += 1) {
      judged.push(texts.isCopy(asMarkdown(madePage(number))));
      if (!stops.includes(number)) continue;
      await texts.flush();
      const count = texts.count();
      // Of a batch that does not count in the end.
      texts.isCopy(words(number * 1_000, 100).join(' '));
      await texts.flush();
      await texts.close();
      texts = await openSeenTexts(path, count);
    }
    await texts.close();
    return judged;
  };
  const calm = await judge([]);
  assert.equal(calm.filter(Boolean).length, 600 / COPY_EVERY);
  assert.deepEqual(await judge([10, 23, 24, 300]), calm);
});
