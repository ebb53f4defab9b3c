import { Failure } from '../contract/errors.ts';
import type { Background } from '../platform/background.ts';
import type { Clock } from '../platform/clock.ts';
import { queryTraits } from '../text/query/query-traits.ts';
import { type SourceList, weightOfIndex, weightOfUpstream } from './fusion/fuse.ts';
import { type GatheredAnswer, gather, type PendingAnswer } from './gather.ts';
import type { Recall, RecallAll, Recalled, RecallQuery, SourceReport } from './recall.ts';
import { PATIENCE_MS, SOURCE_TIMEOUT_MS } from './upstream/exchange-with-source.ts';
import type { Upstream, UpstreamQuery, UpstreamResponse } from './upstream/upstream-types.ts';

type RecallDeps = {
  /** Null: the local index is not asked. */
  local: Recall | null;
  upstreams: readonly Upstream[];
  clock: Clock;
  background: Background;
  /** Other bounds than the usual. */
  limits?: Partial<RecallLimits>;
};

export type RecallLimits = {
  /** When what is in is enough, nobody is waited for any longer than this. */
  softMs: number;
  hardMs: number;
  /** For further results, which are asked for when patience may have been used up already. */
  furtherMs: number;
};

const RECALL_LIMITS: RecallLimits = {
  softMs: PATIENCE_MS,
  hardMs: SOURCE_TIMEOUT_MS,
  furtherMs: SOURCE_TIMEOUT_MS - PATIENCE_MS,
};

type Fitting = { upstream: Upstream; fit: number };
/** `isBare`: the local index holds no page at all, so that finding nothing says nothing. */
type SourceOutcome = UpstreamResponse & { scope: 'index' | 'web' | 'field'; isBare?: boolean };

/** Said of a local index that has nothing to search. */
const BARE = 'the local index holds no pages yet (sanderling crawl or import fills it)';

/** Recall over the local index and all upstream sources that run. */
export function createRecallAll(parts: RecallDeps): RecallAll {
  const limits = { ...RECALL_LIMITS, ...parts.limits };
  return async ({ signal, ...query }, page = 0) => {
    const traits = queryTraits(query.query);
    const fitting = parts.upstreams
      .map((upstream) => ({ upstream, fit: upstream.fitOf(traits, query.includeDomains) }))
      .filter(({ fit }) => fit > 0);
    const isLastResort = !fitting.some(({ upstream }) => upstream.isClosed());
    const asked = fitting.map(({ upstream }) => askUpstream(upstream, { ...query, page }, isLastResort));
    // A second page is asked of the upstreams alone: the local index filters by itself, and so has told all it knows.
    if (parts.local !== null && page === 0) asked.push(askLocal(parts.local, { ...query, signal }));
    const hardMs = page === 0 ? limits.hardMs : limits.furtherMs;
    const { softMs } = limits;
    const arrived = await gather(asked, { softMs, hardMs, isEnough, signal, now: parts.clock.now });
    if (!signal.aborted) markSlow(fitting, arrived);
    letFinish(asked, arrived, parts.background);
    const answered: Answered = { arrived, asked, ms: hardMs };
    const recalled = listed(fitting, answered);
    if (page > 0 || isAnswer(fitting, answered)) return recalled;
    const stale = staleOf(recalled, fitting, query);
    if (stale !== null) return stale;
    if (knowsThereIsNothing(answered)) return recalled;
    throw new Failure('recall_unavailable', unavailable(answered));
  };
}

type Answered = {
  arrived: GatheredAnswer<SourceOutcome>[];
  asked: PendingAnswer<SourceOutcome>[];
  ms: number;
};

function askUpstream(
  upstream: Upstream,
  query: UpstreamQuery,
  isLastResort: boolean,
): PendingAnswer<SourceOutcome> {
  const { name, scope } = upstream;
  const answer = upstream.ask(query, isLastResort).then((heard) => ({ ...heard, scope }));
  return { name, answer, isWaitedFor: upstream.isWaitedFor() };
}

function askLocal(local: Recall, query: RecallQuery): PendingAnswer<SourceOutcome> {
  const answer = findLocal(local, query).catch(
    (error: unknown): SourceOutcome => ({
      ok: false,
      scope: 'index',
      error: 'failed',
      detail: error instanceof Error ? error.message : 'failed',
    }),
  );
  return { name: local.name, answer, isWaitedFor: true };
}

async function findLocal(local: Recall, query: RecallQuery): Promise<SourceOutcome> {
  const found = await local.find(query);
  const items = found.map(({ score, ...item }) => ({ ...item, localScore: score }));
  const isBare = items.length === 0 && (await local.isEmpty?.()) === true;
  return { ok: true, scope: 'index', cache: 'miss', items, isBare };
}

/** The rest may be late when somebody who knows all of the web has answered, or anybody has found something. */
function isEnough(arrived: readonly GatheredAnswer<SourceOutcome>[]): boolean {
  return arrived.some(({ answer }) => answer.ok && (answer.scope === 'web' || answer.items.length > 0));
}

function markSlow(fitting: Fitting[], arrived: GatheredAnswer<SourceOutcome>[]): void {
  for (const { upstream } of fitting) {
    if (!arrived.some(({ name }) => name === upstream.name)) upstream.markSlow();
  }
}

/** Whoever is late still answers into the cache. */
function letFinish(
  asked: PendingAnswer<SourceOutcome>[],
  arrived: GatheredAnswer<SourceOutcome>[],
  background: Background,
): void {
  const inTime = new Set(arrived.map(({ name }) => name));
  for (const { name, answer } of asked) {
    if (!inTime.has(name)) background.run(`late answer of ${name}`, () => answer);
  }
}

function listed(fitting: Fitting[], { arrived, asked, ms }: Answered): Recalled {
  const lists: SourceList[] = [];
  const reports: Record<string, SourceReport> = {};
  for (const { name } of asked) reports[name] = { ok: false, error: 'timeout', ms };
  for (const { name, answer, ms: took } of arrived) {
    reports[name] = reportOf(answer, Math.round(took));
    if (answer.ok && answer.items.length > 0) lists.push(listOf(name, answer.items, fitting));
  }
  return { lists, reports, cache: 'miss', mayBeKept: mayBeKept(lists, fitting) };
}

function reportOf(answer: SourceOutcome, ms: number): SourceReport {
  if (!answer.ok) return { ok: false, error: answer.error, ms };
  return {
    ok: true,
    results: answer.items.length,
    ms,
    ...(answer.cache === 'hit' ? { cache: answer.cache } : {}),
    ...(answer.isBare === true ? { note: BARE } : {}),
  };
}

function listOf(source: string, items: SourceList['items'], fitting: Fitting[]): SourceList {
  const asked = fitting.find(({ upstream }) => upstream.name === source);
  const weight = asked === undefined ? weightOfIndex(items) : weightOfUpstream(asked.upstream, asked.fit);
  return { source, weight, items };
}

function mayBeKept(lists: SourceList[], fitting: Fitting[]): boolean {
  return lists.every(
    ({ source }) => fitting.find(({ upstream }) => upstream.name === source)?.upstream.mayBeCached ?? true,
  );
}

/** Whether somebody answered who may say that there is nothing: an upstream source, or the local index when nobody else was asked. */
function isAnswer(fitting: Fitting[], { arrived }: Answered): boolean {
  return arrived.some(
    ({ answer }) =>
      answer.ok && (answer.scope !== 'index' || answer.items.length > 0 || fitting.length === 0),
  );
}

/** Beside sources that all fail an index that holds pages still knows something; an empty one knows as little as they. */
function knowsThereIsNothing({ arrived }: Answered): boolean {
  return arrived.some(({ answer }) => answer.ok && answer.scope === 'index' && answer.isBare !== true);
}

function unavailable({ arrived }: Answered): string {
  const isBare = arrived.some(({ answer }) => answer.ok && answer.isBare === true);
  return `No search source answered${isBare ? `, and ${BARE}` : ''}; try again in a moment.`;
}

function staleOf(
  recalled: Recalled,
  fitting: Fitting[],
  query: Omit<RecallQuery, 'signal'>,
): Recalled | null {
  const reports = { ...recalled.reports };
  const lists: SourceList[] = [];
  for (const { upstream } of fitting) {
    const { name } = upstream;
    const items = upstream.kept({ ...query, page: 0 }) ?? [];
    if (items.length === 0) continue;
    lists.push(listOf(name, items, fitting));
    const report = reports[name];
    if (report !== undefined && !report.ok) reports[name] = { ...report, staleResults: items.length };
  }
  return lists.length === 0 ? null : { lists, reports, cache: 'stale', mayBeKept: false };
}
