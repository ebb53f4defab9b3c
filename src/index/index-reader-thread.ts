import { workerData } from 'node:worker_threads';
import { serveCalls } from '../platform/threads/serve-calls.ts';
import { readQuery } from '../text/query/read-query.ts';
import { openIndexReader, type ReaderCalls } from './index-reader.ts';

/* Runs an index reader in its own thread: one call at a time, in order. */
const { close, ...calls } = openIndexReader({
  path: String(workerData.path),
  vectorRecall: workerData.vectorRecall === true,
  readings: workerData.readings,
});

const search: ReaderCalls['search'] = (asked) => calls.search({ ...asked, query: readQuery(asked.query) });

serveCalls({ ...calls, search } satisfies ReaderCalls, { close });
