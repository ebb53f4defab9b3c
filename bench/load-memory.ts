/**
 * Resident memory of a metered server after 10,000 and after 100,000 mixed requests: cached and new searches, reads and contents of
 * pages, tool calls, refusals. Linux only.
 *
 *   npm run bench:load-memory [-- --requests 10000,100000] [--pages 5000]
 *
 * The bar: at most 1.15 times as much after the last count as after the first.
 */
import { parseArgs } from 'node:util';
import { CASES } from './load/cases.ts';
import { fire, type LoadRequest } from './load/fire.ts';
import { openPlace } from './load/place.ts';

const CLIENTS = 32;
const SECONDS = 5;
/** How often each kind of request comes, out of the sum. */
const SHARES: Record<string, number> = {
  ...{ 'cached-search': 30, 'cached-reader': 30, 'cached-contents': 10, 'mcp-search': 5, 'refused-402': 10 },
  ...{ 'fresh-search': 13, 'fresh-reader-20kb': 2 },
};

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '10000,100000' },
    pages: { type: 'string', default: '5000' },
  },
});
const place = await openPlace({
  ...{ databaseUrl: null, pages: Number(values.pages), logLevel: 'info', profile: false },
});
try {
  const sources = CASES.flatMap((one) =>
    Array.from({ length: SHARES[one.name] ?? 0 }, () => one.requests(place)),
  );
  let turn = 0;
  // Neighbours are of different kinds.
  const next = (): LoadRequest => {
    turn += 37;
    return sources[turn % sources.length]?.() ?? { method: 'GET', path: '/healthz', headers: {} };
  };
  const load = { address: place.address, clients: CLIENTS, seconds: SECONDS, status: 200, next };
  let answers = 0;
  let first: number | null = null;
  for (const count of values.requests.split(',').map(Number)) {
    while (answers < count) answers += (await fire(load)).answers;
    await place.rest();
    const { residentMb, ownMb, threads } = place.memory();
    first ??= residentMb;
    const ratio = (residentMb / first).toFixed(2);
    console.log(
      `${answers} requests: ${residentMb.toFixed(0)} MB resident (${ratio} of the first), ${ownMb.toFixed(0)} MB own, ${threads} threads`,
    );
  }
} finally {
  await place.close();
}
