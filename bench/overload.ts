/**
 * What becomes of calls at twice the load that a metered server carries. First the load is raised step by step for as long as at most 1 %
 * of the calls are refused: that is what it carries, and its times there are the normal ones. Then twice as many calls are sent each
 * second, and then as many as before.
 *
 *   npm run bench:overload [-- --only fresh-search,cached-search,mixed] [--seconds 10] [--pages 20000] [--keys 8]
 *
 * The bars: those that are accepted keep a p95 of at most twice the normal one, the others get 503 within 100 ms, no credit is taken for
 * them, and all is normal again within 5 s. Client and server share the machine. Linux only.
 */
import { parseArgs } from 'node:util';
import { CASES } from './load/cases.ts';
import { fire, type LoadRequest } from './load/fire.ts';
import { type Fate, fateOf, fireAtRate, type Shot } from './load/open-loop.ts';
import { openPlace } from './load/place.ts';

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: 'fresh-search,cached-search,mixed' },
    seconds: { type: 'string', default: '10' },
    pages: { type: 'string', default: '20000' },
    keys: { type: 'string', default: '8' },
  },
});
const seconds = Number(values.seconds);
const STEP_SECONDS = 3;
const STEP_UP = 1.2;
const STEPS_MAX = 12;
const CLIENTS = 12;
const SHED_SHARE_MAX = 0.01;
/** Recovery is looked at in slices of this length. */
const SLICE_MS = 500;
const SLICE_SHED_SHARE_MAX = 0.05;
/** Kinds of requests in the mix, each as often as it stands there. */
const MIX = [
  ...Array<string>(4).fill('cached-search'),
  ...Array<string>(3).fill('fresh-search'),
  ...['cached-reader', 'fresh-reader-20kb', 'cached-contents'],
];

const place = await openPlace({
  databaseUrl: null,
  pages: Number(values.pages),
  logLevel: 'info',
  keys: Number(values.keys),
});
try {
  for (const name of values.only.split(',')) await measure(name);
} finally {
  await place.close();
}

async function measure(name: string): Promise<void> {
  const next = sourceOf(name);
  const { address } = place;
  await fireAtRate({ address, perSecond: 20, seconds: 2, next });
  await place.rest();
  const { perSecond: closed } = await fire({
    address,
    clients: CLIENTS,
    seconds: STEP_SECONDS,
    status: 200,
    next,
  });
  await place.rest();
  const { carried, normal } = await whatIsCarried(closed * 0.5, next);
  print(`${name}: carries ${carried.toFixed(0)} a second`, normal);
  await place.rest();
  const before = await place.creditsLeft();
  const twice = await fireAtRate({ address, perSecond: 2 * carried, seconds, next });
  const after = await fireAtRate({ address, perSecond: carried, seconds: 6, next });
  const fate = fateOf(twice, seconds);
  print('  twice as many', fate);
  print('  as before again', fateOf(after, 6));
  await place.rest();
  const taken = before - (await place.creditsLeft());
  const answered = [...twice, ...after].filter(({ status }) => status === 200).length;
  console.log(
    `  p95 of the accepted: ${(fate.p95 / normal.p95).toFixed(2)} times the normal one (at most 2); 503 within ${fate.shedP95.toFixed(0)} ms (p95, at most 100); normal again after ${recoverySeconds(after, normal)} s (at most 5)`,
  );
  console.log(
    `  credits taken: ${taken} for ${answered} answers${name === 'mixed' ? ' (three for contents)' : ''}`,
  );
}

function sourceOf(name: string): () => LoadRequest {
  const sources = (name === 'mixed' ? MIX : [name]).map((wanted) => {
    const one = CASES.find((known) => known.name === wanted);
    if (one === undefined) throw new Error(`no such case: ${wanted}`);
    return one.requests(place);
  });
  let turn = 0;
  return () => {
    turn += 1;
    const source = sources[turn % sources.length];
    if (source === undefined) throw new Error('there are no sources');
    return source();
  };
}

/** The highest rate of those tried at which hardly a call is refused, and the times at it. */
async function whatIsCarried(
  from: number,
  next: () => LoadRequest,
): Promise<{ carried: number; normal: Fate }> {
  let best: { carried: number; normal: Fate } | null = null;
  let rate = from;
  for (let step = 0; step < STEPS_MAX; step += 1) {
    const fate = fateOf(
      await fireAtRate({ address: place.address, perSecond: rate, seconds: STEP_SECONDS, next }),
      STEP_SECONDS,
    );
    const isCarried = fate.shedShare <= SHED_SHARE_MAX && fate.failed === 0;
    print(`  at ${rate.toFixed(0)} a second`, fate);
    if (isCarried) best = { carried: rate, normal: fate };
    else if (best !== null) break;
    await place.rest();
    rate *= best === null ? 1 / STEP_UP : STEP_UP;
  }
  if (best === null) throw new Error('the server carries nothing that was tried');
  return best;
}

/** Seconds until a slice in which nothing is refused, of which all later slices are alike too. */
function recoverySeconds(shots: readonly Shot[], normal: Fate): string {
  const slices = Map.groupBy(shots, ({ atMs }) => Math.floor(atMs / SLICE_MS));
  let last = -1;
  for (const [slice, some] of slices) {
    const { shedShare, p50 } = fateOf(some, SLICE_MS / 1_000);
    if (shedShare > SLICE_SHED_SHARE_MAX || p50 > normal.p95) last = Math.max(last, slice);
  }
  return (((last + 1) * SLICE_MS) / 1_000).toFixed(1);
}

function print(what: string, { perSecond, shedShare, p50, p95, shedP95, failed }: Fate): void {
  const ms = (value: number): string => (Number.isNaN(value) ? '-' : value.toFixed(0)).padStart(5);
  console.log(
    `${what.padEnd(38)} ${perSecond.toFixed(0).padStart(6)} accepted/s  p50 ${ms(p50)}  p95 ${ms(p95)} ms   refused ${(100 * shedShare).toFixed(1).padStart(5)} % (p95 ${ms(shedP95)} ms)  failed ${failed}`,
  );
}
