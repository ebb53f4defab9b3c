import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { opener, prune, signal } from '../../test/fixtures/unit-tests/given-pages.ts';
import { extractTask } from '../pages/extract-task.ts';
import type { ExtractWorker } from '../pages/extract-worker.ts';
import { systemClock } from '../platform/clock.ts';
import { createRead } from './read.ts';

const readGiven: ExtractWorker['extract'] = async (task) => extractTask(task, 'html');

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

  test('without a question the savings are against the source', async () => {
    const answer = await read({ url: 'https://a.org/', question: null, signal });
    assert.equal(answer.rawTokens, 1_000);
    assert.equal(answer.outputTokens, Math.ceil(answer.markdown.length / 4));
  });

  test('with a question the page is pruned to what is relevant', async () => {
    const answer = await read({ url: 'https://a.org/', question: 'When does the tide turn?', signal });
    assert.match(answer.markdown, /The tide turns twice a day/);
    assert.ok(answer.markdown.length < long.length / 5);
    assert.ok(answer.savingsPercent > 80);
  });
});
