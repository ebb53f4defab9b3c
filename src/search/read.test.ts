import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { opener, prune, signal } from '../../test/fixtures/unit-tests/given-pages.ts';
import { extractPage } from '../pages/extract-task.ts';
import type { ExtractWorker } from '../pages/extract-worker.ts';
import { systemClock } from '../platform/clock.ts';
import { createRead } from './read.ts';

const readGiven: ExtractWorker['extract'] = async (task) => extractPage(task, 'html', null);

describe('read', () => {
  const long = Array.from(
    { length: 30 },
    (_, n) => `## Part ${n}\n\n${`Words about matter number ${n} fill this part. `.repeat(10)}`,
  ).join('\n\n');
  const pages = {
    'https://a.org/': `${long}\n\n## Tides\n\n${'The tide turns twice a day at this coast. '.repeat(10)}`,
  };
  const read = createRead({
    openPage: opener(pages),
    prune,
    extract: { extract: readGiven },
    clock: systemClock,
  });

  test('of a document whose Markdown is longer than its text, no more is returned than there was', async () => {
    const bytes = new Uint8Array(new TextEncoder().encode('<p>Words</p>'));
    const longer: ExtractWorker['extract'] = async (task) => {
      const extracted = extractPage(task, 'html', null);
      return extracted.ok
        ? { ...extracted, article: { ...extracted.article, rawChars: 4, markdown: long } }
        : extracted;
    };
    const reading = createRead({
      openPage: opener(pages),
      prune,
      extract: { extract: longer },
      clock: systemClock,
    });
    const answer = await reading({
      url: 'https://a.org/',
      given: { bytes, contentType: 'text/html' },
      question: null,
      signal,
    });
    assert.equal(answer.outputTokens, Math.ceil(long.length / 4));
    assert.equal(answer.rawTokens, answer.outputTokens);
    assert.equal(answer.savingsPercent, 0);
  });

  test('without a question the savings are against the source', async () => {
    const answer = await read({ url: 'https://a.org/', question: null, signal });
    assert.equal(answer.rawTokens, Math.max(1_000, answer.outputTokens));
    assert.equal(answer.outputTokens, Math.ceil(answer.markdown.length / 4));
  });

  test('with a question the page is pruned to what is relevant', async () => {
    const answer = await read({ url: 'https://a.org/', question: 'When does the tide turn?', signal });
    assert.match(answer.markdown, /The tide turns twice a day/);
    assert.ok(answer.markdown.length < long.length / 5);
    assert.ok(answer.savingsPercent > 80);
  });
});
