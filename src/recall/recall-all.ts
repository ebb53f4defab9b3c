import { Failure } from '../contract/errors.ts';
import type { Background } from '../platform/background.ts';
import { computeMsLeft } from '../platform/clock.ts';
import { computeIndexWeight, computeUpstreamWeight, type SourceList } from './fusion/fuse.ts';
import type { LocalSource, RecallAll, RecallQuery, RecallResult, SourceReport } from './recall.ts';
import { SOFT_TIMEOUT_MS, SOURCE_TIMEOUT_MS } from './upstream/source-wire.ts';
import type { Upstream, UpstreamQuery, UpstreamResponse } from './upstream/upstream-types.ts';

type RecallDeps = {
  /** Null if the local index is not a source. */
  local: LocalSource | null;
  upstreams: readonly Upstream[];
  background: Background;
  /**
   * Upstream sources are asked only if the best result of the local index has a lower score (0 to 1). 1: always; 0: only if the index
   * finds nothing.
   */
  outsideBelow?: number;
  /** The id of this server; absent: it asks no other server. */
  serverId?: string;
  /** Replaces the default limits. */
  limits?: Partial<RecallLimits>;
};

export type RecallLimits = {
  /** Maximum wait once the answers so far suffice. */
  softMs: number;
  /** Maximum wait for a caller without a deadline; others wait until shortly before theirs. */
  hardMs: number;
  /** Maximum wait for further results, which are requested when `softMs` may already have passed. */
  furtherMs: number;
};

const RECALL_LIMITS: RecallLimits = {
  softMs: SOFT_TIMEOUT_MS,
  hardMs: SOURCE_TIMEOUT_MS,
  furtherMs: SOURCE_TIMEOUT_MS - SOFT_TIMEOUT_MS,
};

/** Time reserved before the caller's deadline for processing the candidates. */
const AFTERWARDS_MS = 1_500;
/** Minimum wait, for callers whose deadline is nearer than that. */
const WAIT_MS_MIN = 250;

/** Computes the maximum wait for the first answers. Upstream sources time out earlier, so in effect it bounds the local index. */
function computeFirstWaitMs(signal: AbortSignal, hardMs: number): number {
  const left = computeMsLeft(signal);
  return Number.isFinite(left) ? Math.max(WAIT_MS_MIN, left - AFTERWARDS_MS) : hardMs;
}

type FittingSource = { upstream: Upstream; fit: number };
/** `isBare`: the local index holds no page at all, so an empty answer says nothing. */
type SourceOutcome = UpstreamResponse & {
  scope: 'index' | 'web' | 'field';
  isBare?: boolean;
};

/** The note for an empty local index. */
const BARE = 'the local index holds no pages yet (sanderling crawl or import fills it)';

/** The note for a source that the local index makes unnecessary. */
const COVERED = 'not asked: the local index has a likely answer (RECALL_OUTSIDE_BELOW)';

/** Creates recall over the local index and all running upstream sources. */
export function createRecallAll(parts: RecallDeps): RecallAll {
  const limits = { ...RECALL_LIMITS, ...parts.limits };
  const { outsideBelow = 1 } = parts;
  return async ({ signal, tenant, ...query }, page = 0) => {
    const { via = [] } = query;
    if (parts.serverId !== undefined && via.includes(parts.serverId)) return NOT_ASKED_AGAIN;
    const traits = query.query.traits();
    // Only the local index knows what its pages document.
    const candidates = (query.library === undefined ? parts.upstreams : [])
      .filter(({ mayAsk }) => mayAsk?.({ tenant, via }) ?? true)
      .map((upstream) => ({ upstream, fit: upstream.fitOf(traits, query.includeDomains) }))
      .filter(({ fit }) => fit > 0);
    // Further results come from upstream sources alone: the local index filters by itself, so its first answer was complete.
    const late = new AbortController();
    const local = { ...query, tenant, signal: AbortSignal.any([signal, late.signal]) };
    const own = parts.local !== null && page === 0 ? askLocal(parts.local, local) : null;
    const waitMs = page === 0 ? computeFirstWaitMs(signal, limits.hardMs) : limits.furtherMs;
    // Other servers wait for this one, each a little longer than the next.
    const [softMs, hardMs] = [limits.softMs / (1 + via.length), waitMs / (1 + via.length)];
    const isCovered =
      own !== null &&
      outsideBelow < 1 &&
      // Whoever asks for news wants what the index cannot hold yet.
      query.topic === undefined &&
      isLikely(await gather([own], { softMs, hardMs: softMs, isEnough, signal }), outsideBelow);
    const fitting = isCovered ? [] : candidates;
    const isLastResort = !fitting.some(({ upstream }) => upstream.isClosed());
    const asked = fitting.map(({ upstream }) =>
      askUpstream(upstream, { ...query, page }, { isLastResort, until: signal }),
    );
    if (own !== null) asked.push(own);
    const arrived = await gather(asked, { softMs, hardMs, isEnough, signal });
    // Nothing waits for the index any more, and its answer would fill no cache.
    late.abort();
    if (!signal.aborted) markSlow(fitting, arrived);
    finishInBackground(asked, arrived, parts.background);
    const answers: Answers = { arrived, asked, ms: hardMs };
    const result = buildResult(fitting, answers, parts.local?.name ?? null);
    if (isCovered)
      for (const { upstream } of candidates)
        result.reports[upstream.name] = { ok: true, results: 0, ms: 0, note: COVERED };
    if (page > 0 || isConclusive(fitting, answers)) return result;
    const stale = buildStaleResult(result, fitting, query);
    if (stale !== null) return stale;
    if (hasIndexPages(answers)) return result;
    throw new Failure('recall_unavailable', describeUnavailable(answers));
  };
}

/** The answer to a search that this server has passed on and that has come back: it asks its sources for it already. */
const NOT_ASKED_AGAIN: RecallResult = {
  lists: [],
  reports: {},
  cache: 'miss',
  mayBeKept: false,
  isIndexLate: false,
};

type Answers = {
  arrived: GatheredAnswer<SourceOutcome>[];
  asked: PendingAnswer<SourceOutcome>[];
  ms: number;
};

function askUpstream(
  upstream: Upstream,
  query: UpstreamQuery,
  options: { isLastResort: boolean; until: AbortSignal },
): PendingAnswer<SourceOutcome> {
  const { name, scope } = upstream;
  const answer = upstream.ask(query, options).then((response) => ({ ...response, scope }));
  return { name, answer, isWaitedFor: upstream.isWaitedFor() };
}

function askLocal(local: LocalSource, query: RecallQuery): PendingAnswer<SourceOutcome> {
  const answer = findLocal(local, query).catch(
    (error: unknown): SourceOutcome => ({
      ok: false,
      scope: 'index',
      error: error instanceof Failure && error.code === 'overloaded' ? 'busy' : 'failed',
      detail: error instanceof Error ? error.message : 'failed',
    }),
  );
  return { name: local.name, answer, isWaitedFor: true };
}

async function findLocal(local: LocalSource, query: RecallQuery): Promise<SourceOutcome> {
  const found = await local.find(query);
  const items = found.map(({ score, ...item }) => ({ ...item, localScore: score }));
  const isBare = items.length === 0 && (await local.isEmpty?.()) === true;
  return { ok: true, scope: 'index', cache: 'miss', items, isBare };
}

/** Returns true if a source of the whole web has answered, or any source has found something. */
function isEnough(arrived: readonly GatheredAnswer<SourceOutcome>[]): boolean {
  return arrived.some(({ answer }) => answer.ok && (answer.scope === 'web' || answer.items.length > 0));
}

/** Returns true if the local index has answered, with a result of at least this score that is not weak. */
function isLikely([own]: readonly GatheredAnswer<SourceOutcome>[], scoreMin: number): boolean {
  if (own === undefined || !own.answer.ok) return false;
  const items: SourceList['items'] = own.answer.items;
  return items.some(({ localScore = 0, isWeak }) => isWeak !== true && localScore >= scoreMin);
}

function markSlow(fitting: FittingSource[], arrived: GatheredAnswer<SourceOutcome>[]): void {
  for (const { upstream } of fitting) {
    if (!arrived.some(({ name }) => name === upstream.name)) upstream.markSlow();
  }
}

/** Lets late sources finish in the background, which fills the cache. */
function finishInBackground(
  asked: PendingAnswer<SourceOutcome>[],
  arrived: GatheredAnswer<SourceOutcome>[],
  background: Background,
): void {
  const inTime = new Set(arrived.map(({ name }) => name));
  for (const { name, answer } of asked) {
    if (!inTime.has(name)) background.run(`late answer of ${name}`, () => answer);
  }
}

function buildResult(
  fitting: FittingSource[],
  { arrived, asked, ms }: Answers,
  local: string | null,
): RecallResult {
  const lists: SourceList[] = [];
  const reports: Record<string, SourceReport> = {};
  for (const { name } of asked) reports[name] = { ok: false, error: 'timeout', ms: Math.round(ms) };
  for (const { name, answer, ms: took } of arrived) {
    reports[name] = buildReport(answer, Math.round(took));
    if (answer.ok && answer.items.length > 0) lists.push(buildList(name, answer.items, fitting));
  }
  const own = local === null ? undefined : reports[local];
  const isIndexLate = own?.ok === false && (own.error === 'timeout' || own.error === 'busy');
  return { lists, reports, cache: 'miss', mayBeKept: canKeepResults(lists, fitting), isIndexLate };
}

function buildReport(answer: SourceOutcome, ms: number): SourceReport {
  if (!answer.ok) return { ok: false, error: answer.error, ms };
  return {
    ok: true,
    results: answer.items.length,
    ms,
    ...(answer.cache === 'hit' ? { cache: answer.cache } : {}),
    ...(answer.isBare === true ? { note: BARE } : {}),
  };
}

function buildList(source: string, items: SourceList['items'], fitting: FittingSource[]): SourceList {
  const asked = fitting.find(({ upstream }) => upstream.name === source);
  const weight =
    asked === undefined ? computeIndexWeight(items) : computeUpstreamWeight(asked.upstream, asked.fit);
  return { source, weight, items };
}

function canKeepResults(lists: SourceList[], fitting: FittingSource[]): boolean {
  return lists.every(
    ({ source }) => fitting.find(({ upstream }) => upstream.name === source)?.upstream.mayBeCached ?? true,
  );
}

/** Returns true if an empty answer counts: one from an upstream source, or from the local index if it is the only source. */
function isConclusive(fitting: FittingSource[], { arrived }: Answers): boolean {
  return arrived.some(
    ({ answer }) =>
      answer.ok && (answer.scope !== 'index' || answer.items.length > 0 || fitting.length === 0),
  );
}

/** Returns true if the index answered and holds pages: if all other sources fail, only then does its empty answer count. */
function hasIndexPages({ arrived }: Answers): boolean {
  return arrived.some(({ answer }) => answer.ok && answer.scope === 'index' && answer.isBare !== true);
}

function describeUnavailable({ arrived }: Answers): string {
  const isBare = arrived.some(({ answer }) => answer.ok && answer.isBare === true);
  return isBare
    ? `No search source answered, and ${BARE}. If this machine should be online, check its connection.`
    : 'No search source answered; try again in a moment.';
}

/** Builds a result from the sources' cached answers of the last hours; null if there are none. */
function buildStaleResult(
  result: RecallResult,
  fitting: FittingSource[],
  query: Omit<RecallQuery, 'signal'>,
): RecallResult | null {
  const reports = { ...result.reports };
  const lists: SourceList[] = [];
  for (const { upstream } of fitting) {
    const { name } = upstream;
    const items = upstream.kept({ ...query, page: 0 }) ?? [];
    if (items.length === 0) continue;
    lists.push(buildList(name, items, fitting));
    const report = reports[name];
    if (report !== undefined && !report.ok) reports[name] = { ...report, staleResults: items.length };
  }
  return lists.length === 0 ? null : { ...result, lists, reports, cache: 'stale', mayBeKept: false };
}

/** One of several requests sent at once. */
export type PendingAnswer<T> = {
  name: string;
  /** Never rejects. */
  answer: Promise<T>;
  /** If false, the answer counts if it arrives in time, but is not waited for once the others suffice. */
  isWaitedFor: boolean;
};

export type GatheredAnswer<T> = { name: string; answer: T; ms: number };

type GatherLimits<T> = {
  softMs: number;
  hardMs: number;
  /** Returns true if the answers so far suffice even if the rest are late. */
  isEnough(arrived: readonly GatheredAnswer<T>[]): boolean;
  signal: AbortSignal;
};

/**
 * Waits for all answers. Once those so far suffice, waits only for the ones marked `isWaitedFor`, and only until `softMs`; never
 * waits beyond `hardMs` or the signal. Late requests continue, but their answers are not in the result.
 */
export function gather<T>(
  asked: readonly PendingAnswer<T>[],
  patience: GatherLimits<T>,
): Promise<GatheredAnswer<T>[]> {
  const { softMs, hardMs, signal } = patience;
  const begun = performance.now();
  return new Promise((resolve, reject) => {
    const arrived: GatheredAnswer<T>[] = [];
    const waitedFor = new Set(asked.filter(({ isWaitedFor }) => isWaitedFor).map(({ name }) => name));
    let isSoft = false;
    const end = (): void => {
      clearTimeout(soft);
      clearTimeout(hard);
      signal.removeEventListener('abort', end);
      resolve([...arrived]);
    };
    const endIfDone = (): void => {
      const isComplete = arrived.length === asked.length;
      if (isComplete || ((isSoft || waitedFor.size === 0) && patience.isEnough(arrived))) end();
    };
    const soft = setTimeout(() => {
      isSoft = true;
      endIfDone();
    }, softMs);
    const hard = setTimeout(end, hardMs);
    signal.addEventListener('abort', end, { once: true });
    for (const { name, answer } of asked) {
      answer.then((value) => {
        arrived.push({ name, answer: value, ms: performance.now() - begun });
        waitedFor.delete(name);
        endIfDone();
      }, reject);
    }
    if (signal.aborted || asked.length === 0) end();
  });
}
