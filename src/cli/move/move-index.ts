/**
 * The command `sanderling index move`: copies an index to another place, compares both sides, and switches over only if they agree.
 * An interrupted move resumes from its state file. The source is only read; reading, writing and comparing pages is in `move-pages.ts`.
 */
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Config } from '../../app/config.ts';
import { createLocalIndex } from '../../index/local-index.ts';
import type { LocalIndex } from '../../index/local-index-types.ts';
import { createClusterIndex } from '../../index/opensearch/cluster-index.ts';
import { isClusterAddress } from '../../index/opensearch/connect/cluster.ts';
import { openNewVersion, type VersionNames } from '../../index/opensearch/move/new-version.ts';
import { systemClock } from '../../platform/clock.ts';
import { createLog, type Log } from '../../platform/log.ts';
import { createProgressLine, formatCount } from '../progress-line.ts';
import { watchInterruption } from '../until-interrupted.ts';
import {
  type Comparison,
  compareAll,
  compareSample,
  copyPages,
  type MoveSource,
  type MoveTarget,
} from './move-pages.ts';

/** The state of a move, kept in the data folder until the move is complete. */
type MoveState = {
  from: string;
  to: string;
  after: string | null;
  version: VersionNames | null;
  copied: number;
};

type MoveSide<Side> = {
  side: Side;
  version: VersionNames | null;
  take(): Promise<string[]>;
  close(): Promise<void>;
};

const STATE_FILE = 'index-move.json';
const SAMPLE = 100;
const SAMPLE_EVERY = 97;

/** `sanderling index move`: resolves to the exit code. Each place is the path of a file or the address of a cluster. */
export async function moveIndex(
  config: Config,
  { from, to, rate }: { from: string; to: string; rate: number | null },
): Promise<number> {
  const log = createLog('error');
  const stateFile = join(resolve(config.dataDir), STATE_FILE);
  if (!isClusterAddress(from) && !existsSync(from)) return refuse(`There is no index in ${resolve(from)}.`);
  const state = readState(stateFile, { from, to });
  if (state === null) return refuse(`Another move is under way; finish it first, or delete ${stateFile}.`);
  const source = await openSource(config, from, log);
  const target = await openTarget(config, to, { state, log });
  const interruption = watchInterruption();
  const parts = { source: source.side, target: target.side, rate, signal: interruption.signal };
  const save = (): void => writeState(stateFile, { ...state, version: target.version });
  try {
    save();
    const sample = await copyAll(parts, state, save);
    if (interruption.signal.aborted) return refuse('The same command goes on from here.', 130);
    const compared = await compareAll(parts);
    const differing = await compareSample(parts, sample);
    if (!compared.agrees || differing.length > 0)
      return refuse(formatDisagreement(compared, differing.length));
    const old = await target.take();
    rmSync(stateFile, { force: true });
    process.stdout.write(formatSummary(compared, { sample: sample.length, old, to }));
    return 0;
  } finally {
    interruption.stop();
    await Promise.all([source.close(), target.close()]);
  }
}

type Parts = Parameters<typeof copyPages>[0];

/** Copies all pages. Resolves to the addresses of a sample of them. */
async function copyAll(parts: Parts, state: MoveState, save: () => void): Promise<string[]> {
  const progress = createProgressLine(process.stderr, systemClock);
  const { pages: total } = await parts.source.size();
  const startedAt = systemClock.now();
  const before = state.copied;
  const sample: string[] = [];
  try {
    await copyPages(parts, state.after, (last, count) => {
      if (sample.length < SAMPLE || state.copied % SAMPLE_EVERY === 0) sample[state.copied % SAMPLE] = last;
      state.after = last;
      state.copied += count;
      save();
      const seconds = Math.max(1, (systemClock.now() - startedAt) / 1_000);
      const perSecond = Math.round((state.copied - before) / seconds);
      progress.show({ done: state.copied, total, unit: 'page', facts: [`${perSecond}/s`] });
    });
  } finally {
    progress.stop();
  }
  return sample.filter((url) => url !== undefined);
}

function formatSummary(
  { compared, corrected }: Comparison,
  { sample, old, to }: { sample: number; old: string[]; to: string },
): string {
  const left =
    old.length === 0
      ? ''
      : `The earlier version is left in ${old.join(' and ')}; delete it when it is no longer needed.\n`;
  const next = isClusterAddress(to)
    ? 'Set INDEX_URL to the new address.'
    : 'Unset INDEX_URL, and put the file into DATA_DIR.';
  return `Moved: ${formatCount(compared, 'page')} on both sides, ${corrected} of them brought over again; a sample of ${sample} is the same to the letter.\n${left}${next}\n`;
}

const formatDisagreement = ({ agrees }: Comparison, differing: number): string =>
  agrees
    ? `${formatCount(differing, 'page')} of the sample ${differing === 1 ? 'differs' : 'differ'}; the same command goes on from here.`
    : 'Both sides still differ: too much changes at the source. The same command goes on from here.';

function refuse(why: string, code = 1): number {
  process.stderr.write(`${why}\n`);
  return code;
}

async function openSource(config: Config, at: string, log: Log): Promise<MoveSide<MoveSource>> {
  const index = isClusterAddress(at)
    ? createClusterIndex({ settings: { url: at, ...config.clusterAccess, isMoved: true }, log })
    : await openFile(at, log);
  return { side: index, version: null, take: async () => [], close: () => index.close() };
}

/** Opens the target. On a cluster the pages go to a new version, which takes over at the end; a file is written in place. */
async function openTarget(
  config: Config,
  at: string,
  { state, log }: { state: MoveState; log: Log },
): Promise<MoveSide<MoveTarget>> {
  if (!isClusterAddress(at)) {
    const index = await openFile(at, log);
    const side: MoveTarget = {
      put: index.put,
      get: index.get,
      list: index.list,
      async remove(urls) {
        await index.remove(urls);
      },
      settle: async () => {},
    };
    return { side, version: null, take: async () => [], close: () => index.close() };
  }
  const settings = { url: at, ...config.clusterAccess, isMoved: true };
  const version = await openNewVersion(settings, { begun: state.version, log });
  const { names, take, close } = version;
  const side: MoveTarget = {
    put: (pages) => version.put(pages, systemClock.now()),
    remove: version.remove,
    get: version.get,
    list: version.list,
    settle: version.refresh,
  };
  return { side, version: names, take, close };
}

async function openFile(path: string, log: Log): Promise<LocalIndex> {
  const index = await createLocalIndex({ path: resolve(path), log });
  await index.rebuilt();
  return index;
}

/** Reads the state; null if a move between other places is under way. */
function readState(file: string, { from, to }: { from: string; to: string }): MoveState | null {
  if (!existsSync(file)) return { from, to, after: null, version: null, copied: 0 };
  const state: MoveState = JSON.parse(readFileSync(file, 'utf8'));
  return state.from === from && state.to === to ? state : null;
}

/** Writes the state atomically. */
function writeState(file: string, state: MoveState): void {
  writeFileSync(`${file}.new`, JSON.stringify(state), { mode: 0o600 });
  renameSync(`${file}.new`, file);
}
