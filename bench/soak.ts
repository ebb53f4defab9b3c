/**
 * A metered server under many mixed requests: cached and new searches, reads and contents of pages, tool calls, refusals. Prints
 * at each step what it holds: resident memory, memory of its own, descriptors and threads, beside those of the first step. Linux only.
 *
 *   npm run bench:soak [-- --requests 20000,50000,100000,150000,200000] [--minutes 15] [--pages 5000]
 *
 * The bar: after the last step at most 1.15 times the memory of the first, and as many descriptors. Ends after `--minutes` wherever it is.
 */
import { parseArgs } from 'node:util';
import { CASES } from './load/cases.ts';
import { fire, type LoadRequest } from './load/fire.ts';
import { openPlace } from './load/place.ts';

const CLIENTS = 32;
const ROUND_SECONDS = 5;
/** How often each kind of request comes, out of the sum. */
const SHARES: Record<string, number> = {
  'cached-search': 30,
  'cached-reader': 30,
  'cached-contents': 10,
  'mcp-search': 5,
  'refused-402': 10,
  'fresh-search': 13,
  'fresh-reader-20kb': 2,
};

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '20000,50000,100000,150000,200000' },
    minutes: { type: 'string', default: '15' },
    pages: { type: 'string', default: '5000' },
  },
});
const endAt = performance.now() + Number(values.minutes) * 60_000;
const place = await openPlace({
  databaseUrl: null,
  pages: Number(values.pages),
  logLevel: 'info',
});
try {
  await soak(values.requests.split(',').map(Number));
} finally {
  await place.close();
}

async function soak(steps: readonly number[]): Promise<void> {
  const load = {
    address: place.address,
    clients: CLIENTS,
    seconds: ROUND_SECONDS,
    status: 200,
    next: mixed(),
  };
  let [answers, broken] = [0, 0];
  let first: number | null = null;
  console.log('requests   a second   resident MB   ratio   own MB   descriptors   threads   not answered');
  for (const step of steps) {
    const [before, began] = [answers, performance.now()];
    while (answers < step && performance.now() < endAt) {
      const fired = await fire(load);
      answers += fired.answers;
      broken += fired.broken;
    }
    const perSecond = ((answers - before) * 1_000) / (performance.now() - began);
    await place.rest();
    const { residentMb, ownMb, descriptors, threads } = place.memory();
    first ??= residentMb;
    const cells: [text: string, width: number][] = [
      [String(answers), 8],
      [perSecond.toFixed(0), 11],
      [residentMb.toFixed(0), 14],
      [(residentMb / first).toFixed(2), 8],
      [ownMb.toFixed(0), 9],
      [String(descriptors), 14],
      [String(threads), 10],
      [String(broken), 15],
    ];
    console.log(cells.map(([text, width]) => text.padStart(width)).join(''));
    if (performance.now() >= endAt) return;
  }
}

/** Requests of which neighbours are of different kinds. */
function mixed(): () => LoadRequest {
  const sources = CASES.flatMap((one) =>
    Array.from({ length: SHARES[one.name] ?? 0 }, () => one.requests(place)),
  );
  let turn = 0;
  return () => {
    turn += 37;
    return sources[turn % sources.length]?.() ?? { method: 'GET', path: '/healthz', headers: {} };
  };
}
