import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createFairQueue } from '../platform/fairness/fair-queue.ts';
import { readQuery } from '../text/query/read-query.ts';
import { queueSearches } from './local-source.ts';
import type { LocalSource, RecallQuery } from './recall.ts';

test('a search that is given up while it waits for a reader is never asked of the index', async () => {
  const asked: string[] = [];
  const reading = Promise.withResolvers<void>();
  const local: LocalSource = {
    name: 'index',
    async find({ query }) {
      asked.push(query.text);
      await reading.promise;
      return [];
    },
  };
  const queue = createFairQueue({ slots: 1, waitingMax: 9, overloaded: () => new Error('full') });
  const queued = queueSearches(local, queue);
  const call = new AbortController();
  const find = (text: string): Promise<unknown> => {
    // Only the fields that the queue and this source read.
    const query = { query: readQuery(text), signal: call.signal } as RecallQuery;
    return queued.find(query);
  };
  const first = find('first');
  const given = assert.rejects(find('given up'), { message: 'late' });
  call.abort(new Error('late'));
  await given;
  reading.resolve();
  await first;
  assert.deepEqual(asked, ['first']);
  assert.equal(queue.load().waiting, 0);
});
