import { createRandom } from '../search/random.ts';
import { type Agenda, createAgenda } from './events.ts';

/** Searches over shards, each of which is kept by some nodes. Times in milliseconds. */
export type Scene = {
  shards: number;
  /** Copies of each shard, on neighbouring nodes. */
  copies: number;
  nodes: number;
  /** Searches that a node works on at a time. */
  serversPerNode: number;
  /** Shards that one search asks: all of them, or fewer where it is routed. */
  shardsAsked: number;
  perSecond: number;
  searches: number;
  /** Measured times of one search of one shard, drawn from at random. */
  serviceMs: readonly number[];
  /** Another copy is asked too after this time, for at most 5 % of the parts; null: never. */
  hedgeAfterMs: number | null;
  /** A node answers nothing from then on, which is noticed later; null: none. */
  lost: { node: number; atMs: number; noticedMs: number } | null;
  seed: number;
};

/** `failed`: parts for which no copy was left. `extraShare`: parts that were asked for twice. */
export type Outcome = {
  p50: number;
  p95: number;
  p99: number;
  worst: number;
  failed: number;
  extraShare: number;
};

/** One shard's part of a search. */
type Part = { shard: number; isDone: boolean; done(at: number): void };
type Node = { free: number; waiting: Part[] };

type World = Scene & {
  agenda: Agenda;
  random(below: number): number;
  all: Node[];
  count: { parts: number; extra: number; failed: number };
};

const HEDGED_SHARE_MAX = 0.05;

/** Discrete events and a seed, no clock: the same scene has the same outcome. */
export function simulate(scene: Scene): Outcome {
  const all = Array.from({ length: scene.nodes }, (): Node => ({ free: scene.serversPerNode, waiting: [] }));
  const world: World = {
    ...scene,
    all,
    agenda: createAgenda(),
    random: createRandom(scene.seed),
    count: { parts: 0, extra: 0, failed: 0 },
  };
  const times: number[] = [];
  search(world, { nth: 1, at: 0 }, times);
  for (let next = world.agenda.next(); next !== null; next = world.agenda.next()) next.run();
  times.sort((one, other) => one - other);
  const quantile = (share: number): number => times[Math.floor(times.length * share)] ?? Number.NaN;
  const { parts, extra, failed } = world.count;
  return {
    p50: quantile(0.5),
    p95: quantile(0.95),
    p99: quantile(0.99),
    worst: times.at(-1) ?? Number.NaN,
    failed,
    extraShare: extra / parts,
  };
}

/** One search, and the next one after a time as of a Poisson process. */
function search(world: World, { nth, at }: { nth: number; at: number }, times: number[]): void {
  const first = world.random(world.shards);
  let open = world.shardsAsked;
  for (let more = 0; more < world.shardsAsked; more += 1) {
    const part: Part = {
      shard: (first + more) % world.shards,
      isDone: false,
      done(doneAt) {
        if (part.isDone) return;
        part.isDone = true;
        open -= 1;
        if (open === 0) times.push(doneAt - at);
      },
    };
    world.count.parts += 1;
    ask(world, part, { at, not: null });
  }
  if (nth >= world.searches) return;
  const next = at - (Math.log((world.random(1_000_000) + 0.5) / 1_000_000) * 1_000) / world.perSecond;
  world.agenda.add({ at: next, run: () => search(world, { nth: nth + 1, at: next }, times) });
}

/** Asks the copy with the shortest queue; one that is lost and not yet known to be is asked in vain, until it is noticed. */
function ask(world: World, part: Part, { at, not }: { at: number; not: number | null }): void {
  const { lost, agenda } = world;
  const noticedAt = noticedAtOf(world);
  const node = shortestOf(world, part.shard, (copy) => mayAsk(world, copy, { at, not }));
  if (node === null) {
    if (not === null || noticedAt <= at) world.count.failed += part.isDone ? 0 : 1;
    return;
  }
  world.all[node]?.waiting.push(part);
  begin(world, node, at);
  if (node === lost?.node)
    agenda.add({
      at: Math.max(at, noticedAt),
      run: () => part.isDone || ask(world, part, { at: Math.max(at, noticedAt), not: node }),
    });
  if (not === null && world.hedgeAfterMs !== null)
    hedge(world, part, { at: at + world.hedgeAfterMs, not: node });
}

const noticedAtOf = ({ lost }: World): number =>
  lost === null ? Number.POSITIVE_INFINITY : lost.atMs + lost.noticedMs;

/** A node that is known to be lost is not asked. */
const mayAsk = (world: World, copy: number, { at, not }: { at: number; not: number | null }): boolean =>
  copy !== not && !(copy === world.lost?.node && at >= noticedAtOf(world));

function hedge(world: World, part: Part, { at, not }: { at: number; not: number }): void {
  const run = (): void => {
    if (part.isDone || world.count.extra + 1 > world.count.parts * HEDGED_SHARE_MAX) return;
    // Where no other copy lives, the first try goes on alone.
    if (shortestOf(world, part.shard, (copy) => mayAsk(world, copy, { at, not })) === null) return;
    world.count.extra += 1;
    ask(world, part, { at, not });
  };
  world.agenda.add({ at, run });
}

/** Lets a node begin with what waits, if it lives and has a server to spare. */
function begin(world: World, nth: number, at: number): void {
  const node = world.all[nth];
  const isLost = (when: number): boolean => nth === world.lost?.node && when >= world.lost.atMs;
  if (node === undefined || node.free === 0 || isLost(at)) return;
  const part = node.waiting.shift();
  if (part === undefined) return;
  node.free -= 1;
  const end = at + (world.serviceMs[world.random(world.serviceMs.length)] ?? 0);
  world.agenda.add({
    at: end,
    run() {
      node.free += 1;
      if (!isLost(end)) part.done(end);
      begin(world, nth, end);
    },
  });
}

function shortestOf(
  { nodes, copies, all }: World,
  shard: number,
  fits: (node: number) => boolean,
): number | null {
  let best: number | null = null;
  const load = (node: number): number => (all[node]?.waiting.length ?? 0) - (all[node]?.free ?? 0);
  for (let copy = 0; copy < copies; copy += 1) {
    const node = (shard + copy) % nodes;
    if (fits(node) && (best === null || load(node) < load(best))) best = node;
  }
  return best;
}
