/** A process that only searches an index: how fast it starts, and how much memory it needs. Started by bench/million.ts with the path and a file of queries. */
import { readFileSync } from 'node:fs';
import { createLocalIndex } from '../../src/index/local-index.ts';
import { createLog } from '../../src/platform/log.ts';
import { NO_FILTERS } from '../../src/text/query/filters.ts';
import { readQuery } from '../../src/text/query/read-query.ts';
import { timed } from './measures.ts';

const [path = '', file = ''] = process.argv.slice(2);
const queries: string[] = JSON.parse(readFileSync(file, 'utf8'));
const start = performance.now();
const index = await createLocalIndex({ path, log: createLog('warn') });
const { pages } = await index.size();
const startMs = performance.now() - start;
const search = (query = ''): Promise<unknown> =>
  index.search({ ...NO_FILTERS, query: readQuery(query), limit: 10 });
const firstMs = await timed(() => search(queries[0]));
// Two at a time, so that both readers are open.
for (let at = 0; at < queries.length; at += 2)
  await Promise.all([search(queries[at]), search(queries[at + 1])]);
const megabytes = process.memoryUsage.rss() / 1e6;
console.log(
  `  start ${startMs.toFixed(0)} ms for ${pages} pages, first search ${firstMs.toFixed(0)} ms, RSS ${megabytes.toFixed(0)} MB after ${queries.length} searches by two readers`,
);
await index.close();
