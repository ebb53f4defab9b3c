/**
 * Runs one job: seeds it from sitemaps, visits its pages, charges for them and ends it. All progress is written to the job's rows, so that
 * any process can resume it from there. It does not choose jobs or hold leases; that is the runner's work.
 */
import assert from 'node:assert/strict';
import { Failure } from '../../contract/errors.ts';
import type { Frontier, StateCounts, VisitOutcome } from '../../crawl/frontier/frontier-types.ts';
import { createHostQueues } from '../../crawl/frontier/host-queues.ts';
import { createNoiseParameters, type NoiseParameters } from '../../crawl/frontier/noise-parameters.ts';
import { createPoliteness, type Politeness } from '../../crawl/frontier/politeness.ts';
import { createSeenUrls } from '../../crawl/frontier/seen-urls.ts';
import { compilePattern, type UrlPattern } from '../../crawl/frontier/url-pattern.ts';
import { createRobotsOfHosts, type RobotsOfHosts } from '../../crawl/robots/host-robots.ts';
import type { ReadSitemapFile } from '../../crawl/robots/read-sitemaps.ts';
import { streamSitemapPages } from '../../crawl/robots/read-sitemaps.ts';
import { EVERYTHING_ALLOWED } from '../../crawl/robots/robots.ts';
import { listSpellings } from '../../crawl/site/site-rules.ts';
import { visitAll, type Wait, waitForTimer } from '../../crawl/visit/visit-all.ts';
import { type VisitResult, type VisitScope, visitPage } from '../../crawl/visit/visit-page.ts';
import { hasSecret } from '../../pages/privacy/secret-in-address.ts';
import type { Clock } from '../../platform/clock.ts';
import type { GuardedFetch } from '../../platform/net/fetch-types.ts';
import type { JobQueries, JobStore } from '../../platform/store/jobs/open-job-store.ts';
import type { Lease } from '../../platform/store/row-leases.ts';
import { toCrawlableUrl } from '../../text/urls/crawlable.ts';
import { hasPublicName, isSameSite, toHostKey } from '../../text/urls/sites.ts';
import { toSamePageKey } from '../../text/urls/url-spelling.ts';
import type { ChargePages, CrawlOrder, Job, ReadForJob } from '../job-types.ts';
import { JOB_MS_MAX } from '../rows/job-rows.ts';
import { listPageKeys } from '../rows/page-rows.ts';
import { findStartProblem, listKnownUrls, listNextUrls } from '../rows/url-rows.ts';
import { type ClosedBatch, createJobWriter, type JobEnd, type JobWriter } from './job-writer.ts';

/** Maximum addresses that a job tracks: this many, or URLS_PER_PAGE_MAX for each page of its limit if that is more. */
const URLS_MAX = 10_000;

const URLS_PER_PAGE_MAX = 4;

/** Time limit for reading all sitemaps of a site, and maximum addresses taken from them. */
const SITEMAPS_MS = 20_000;

const SITEMAP_URLS_MAX = 50_000;

export type RunJobDeps = {
  store: JobStore;
  read: ReadForJob;
  charge: ChargePages;
  fetch: GuardedFetch;
  readSitemapFile: ReadSitemapFile;
  clock: Clock;
  /** Replaces the timer in tests that move the clock. */
  wait?: Wait;
};

/** Default milliseconds between two requests of a crawl to a public host. */
const DELAY_MS = 200;
/** Maximum bytes of the documents of one job; beyond it no further page is read. */
const JOB_BYTES_MAX = 268_435_456;

/**
 * Resumes a job from the state of its rows, until it has ended or the signal aborts. Throws LeaseLost, and what the store or the
 * charge throws; the job can then be run again.
 */
export async function runJob(
  deps: RunJobDeps,
  { job, lease }: { job: Job; lease: Lease },
  signal: AbortSignal,
): Promise<void> {
  const writer = createJobWriter(deps, job, lease);
  const reopened = await writer.closeOpen();
  // The job was cancelled while its last batch was open.
  if (job.state !== 'running') return;
  const running = await openRun(deps, { job, writer, signal, closed: reopened });
  if (running.end === null) await visitPages(deps, running);
  const end = running.end ?? (signal.aborted ? null : await decideJobEnd(deps, running));
  if (end !== null) await writer.end(end);
}

/** The state of one run of a job. */
type JobRun = {
  job: Job;
  writer: JobWriter;
  frontier: JobFrontier;
  politeness: Politeness;
  robotsOf: RobotsOfHosts;
  noise: NoiseParameters;
  /** The keys of the pages that were read. */
  keys: Set<string>;
  /** Documents of pages whose visits are not settled yet, by the number of their address. */
  documents: Map<number, string>;
  scope: JobScope;
  pages: number;
  bytes: number;
  /** Set when the job ends before all addresses are visited. */
  end: JobEnd | null;
  ending: AbortController;
  signal: AbortSignal;
};

async function openRun(
  deps: RunJobDeps,
  { job, writer, signal, closed }: Pick<JobRun, 'job' | 'writer' | 'signal'> & { closed: ClosedBatch | null },
): Promise<JobRun> {
  const { order, id } = job;
  const { crawl } = order;
  const ending = new AbortController();
  const fetchForTenant: GuardedFetch = (request) => deps.fetch({ ...request, tenant: job.owner });
  const run: JobRun = {
    job,
    writer,
    signal: AbortSignal.any([signal, ending.signal]),
    ending,
    frontier: await openJobFrontier(deps.store.db, { jobId: id, pagesMax: order.pagesMax }),
    politeness: createPoliteness((host) => ({
      perHostMax: order.perHostMax,
      delayMs: order.delayMs ?? (crawl !== null && hasPublicName(`http://${host}`) ? DELAY_MS : 0),
    })),
    robotsOf: crawl === null ? skipRobots : createRobotsOfHosts({ fetch: fetchForTenant, clock: deps.clock }),
    noise: createNoiseParameters(),
    documents: new Map(),
    keys: new Set(await listPageKeys(deps.store.db, id)),
    scope: buildScope(job, job.base),
    pages: closed?.pages ?? job.pages,
    bytes: job.bytes,
    end: null,
  };
  if (closed !== null) recordClosedBatch(deps, run, closed);
  if (run.end === null && crawl !== null && job.seeded_at === null)
    await seedJob(deps, { ...run, crawl, fetch: fetchForTenant });
  return run;
}

/** Allows everything: a batch lists pages that the caller asked for by name, to which robots.txt does not apply. */
const skipRobots: RobotsOfHosts = async () => ({ reached: true, rules: EVERYTHING_ALLOWED, sitemaps: [] });

/** `base` is the address that the start address redirected to, once that is known. */
function buildScope({ order: { crawl } }: Job, base: string | null): JobScope {
  if (crawl === null) return EVERYWHERE;
  return createJobScope(crawl, base === null ? [crawl.start] : [crawl.start, base]);
}

const ANYWHERE: VisitScope = { covers: () => true, toVisit: () => [] };
const EVERYWHERE: JobScope = {
  from: () => ANYWHERE,
  toVisit: () => [],
  wants: () => true,
  keyOf: (url) => url,
};

async function visitPages(deps: RunJobDeps, run: JobRun): Promise<void> {
  const { frontier, politeness, signal, job } = run;
  await visitAll({
    frontier,
    politeness,
    clock: deps.clock,
    wait: deps.wait ?? waitForTimer,
    signal,
    pagesLeft: () => job.order.pagesMax - run.pages,
    visit: (row, ending) => visitOne(deps, run, { row, signal: ending }),
    settle: (batch) => settle(deps, run, batch),
  });
}

async function visitOne(
  deps: RunJobDeps,
  run: JobRun,
  { row, signal }: { row: VisitOutcome['row']; signal: AbortSignal },
): Promise<VisitResult> {
  const { job, frontier, politeness, robotsOf, scope } = run;
  const { reading, keep, crawl } = job.order;
  return visitPage(
    {
      robotsOf,
      politeness,
      clock: deps.clock,
      scope: scope.from(row.url),
      takesPrivate: true,
      depthMax: crawl?.depthMax ?? null,
      pages: crawl === null ? UNCLAIMED : frontier,
      async openPage(url, how) {
        const { page, document } = await deps.read(url, {
          reading,
          keep,
          tenant: job.owner,
          signal: how.signal,
          paceMs: politeness.paceOf(row.host),
        });
        run.documents.set(row.id, document);
        return page;
      },
    },
    row,
    signal,
  );
}

/** Accepts every page: pages of a batch are not compared with each other. */
const UNCLAIMED = { titleOf: () => undefined, claim() {} };

async function settle(deps: RunJobDeps, run: JobRun, batch: VisitResult[]): Promise<void> {
  const { frontier, writer, documents } = run;
  const judged = batch.map((visited) => judge(run, visited));
  const pages = judged.flatMap(({ outcome, key }) => {
    if (key === null) return [];
    const document = documents.get(outcome.row.id);
    assert(document !== undefined, 'a page that was read has a document');
    return [{ number: outcome.row.id, key, document }];
  });
  const found = judged.map(({ outcome: { found: links, row } }) => ({
    urls: frontier.admit(links.map(run.noise.strip)),
    depth: row.depth + 1,
  }));
  const outcomes = judged.map(({ outcome }) => outcome);
  const closed = await writer.settle({
    outcomes,
    found: found.filter(({ urls }) => urls.length > 0),
    pages: pages.toSorted((one, other) => one.number - other.number),
    base: applyStartRedirect(run, outcomes),
  });
  frontier.settled(outcomes);
  for (const { outcome } of judged) documents.delete(outcome.row.id);
  for (const { document } of pages) run.bytes += Buffer.byteLength(document);
  recordClosedBatch(deps, run, closed);
}

/** Decides the outcome to write, and the key of the page if it belongs in the answer. */
function judge(run: JobRun, { outcome, read }: VisitResult): { outcome: VisitOutcome; key: string | null } {
  if (outcome.state !== 'done' || read === null) return { outcome, key: null };
  const { row, found, pageUrl, finalUrl, claims } = outcome;
  if (run.job.order.crawl === null) return { outcome, key: row.url };
  // The page is read again after the page that it declares to be a copy of.
  if (claims !== null && row.attempts === 0 && run.frontier.titleOf(claims) === undefined)
    return { outcome: { row, found, state: 'retry', reason: 'claims_another', notBefore: 0 }, key: null };
  const isRepeated = run.noise.note(finalUrl, read.markdown);
  const key = run.scope.keyOf(pageUrl);
  if (isRepeated || run.keys.has(key))
    return { outcome: { row, found, state: 'duplicate', pageUrl }, key: null };
  if (!run.scope.wants(finalUrl)) return { outcome, key: null };
  run.keys.add(key);
  return { outcome, key };
}

/** Returns the address that the start page redirected to, if any. From then on, the scope of the job includes its site. */
function applyStartRedirect(run: JobRun, outcomes: VisitOutcome[]): string | null {
  const start = outcomes.find(({ row }) => row.id === 1);
  if (run.job.order.crawl === null || start?.state !== 'done' || start.finalUrl === start.row.url)
    return null;
  run.scope = buildScope(run.job, start.finalUrl);
  return start.finalUrl;
}

/** Records the pages of a closed batch and decides whether the job ends here. */
function recordClosedBatch({ clock }: RunJobDeps, run: JobRun, { pages, isPaid }: ClosedBatch): void {
  run.pages = pages;
  const reason = !isPaid
    ? 'insufficient_credits'
    : run.bytes > JOB_BYTES_MAX
      ? 'too_large'
      : clock.now() - run.job.created_at > JOB_MS_MAX
        ? 'too_long'
        : null;
  if (reason === null) return;
  run.end = { state: pages === 0 ? 'failed' : 'completed', reason };
  run.ending.abort();
}

async function decideJobEnd(
  { store }: RunJobDeps,
  { job, pages, frontier, politeness }: JobRun,
): Promise<JobEnd> {
  const isCut =
    pages < job.order.pagesMax && [...frontier.hosts()].some((host) => politeness.hasGivenUp(host));
  const hasLeft = frontier.counts().pending > 0;
  if (job.order.crawl !== null && pages === 0) {
    const problem = await findStartProblem(store.db, job.id);
    if (problem !== null || isCut) return { state: 'failed', reason: problem ?? 'host_gave_up' };
  }
  return { state: 'completed', reason: isCut && hasLeft ? 'host_gave_up' : null };
}

type SeedContext = {
  crawl: CrawlOrder;
  scope: JobScope;
  frontier: JobFrontier;
  writer: JobWriter;
  robotsOf: RobotsOfHosts;
  fetch: GuardedFetch;
  signal: AbortSignal;
};

/** Adds the pages listed in the sitemaps of the start address to the frontier, as far as they are read within the time limit. */
async function seedJob(
  { readSitemapFile }: { readSitemapFile: ReadSitemapFile },
  { crawl, scope, frontier, writer, robotsOf, fetch, signal }: SeedContext,
): Promise<void> {
  const inTime = AbortSignal.any([signal, AbortSignal.timeout(SITEMAPS_MS)]);
  try {
    const sitemaps = crawl.sitemap === 'skip' ? [] : await findSitemaps(crawl.start, robotsOf, inTime);
    let taken = 0;
    for await (const listed of streamSitemapPages({ fetch, readSitemapFile }, { sitemaps, signal: inTime })) {
      const urls = frontier.admit(scope.toVisit(listed.slice(0, SITEMAP_URLS_MAX - taken)));
      taken += listed.length;
      if (urls.length > 0) await writer.addUrls({ urls, depth: 0 });
      if (taken >= SITEMAP_URLS_MAX) break;
    }
  } catch (error) {
    if (!(error instanceof Failure) || !inTime.aborted) throw error;
  }
  // A run that is aborted leaves the sitemaps to the next one.
  if (!signal.aborted) await writer.markSeeded();
}

async function findSitemaps(start: string, robotsOf: RobotsOfHosts, signal: AbortSignal): Promise<string[]> {
  const robots = await robotsOf(start, signal);
  if (!robots.reached) return [];
  return robots.sitemaps.length > 0 ? robots.sitemaps : [new URL('/sitemap.xml', start).href];
}

/** The frontier of a job: stored in the database, with all addresses known in memory. */
type JobFrontier = Pick<Frontier, 'hosts' | 'peek' | 'take' | 'putBack' | 'titleOf' | 'claim'> & {
  counts(): StateCounts;
  /** Returns the addresses that are new and within the bounds, and marks them as known. The caller must write them. */
  admit(urls: string[]): string[];
  /** Updates the frontier with outcomes that have been written. */
  settled(outcomes: VisitOutcome[]): void;
};

async function openJobFrontier(
  db: JobQueries,
  { jobId, pagesMax }: { jobId: string; pagesMax: number },
): Promise<JobFrontier> {
  const seen = createSeenUrls(Math.max(URLS_MAX, URLS_PER_PAGE_MAX * pagesMax));
  const titles = new Map<string, string>();
  const counts: StateCounts = { pending: 0, done: 0, duplicate: 0, skipped: 0, failed: 0 };
  /** Waiting rows that are not taken, by host; the host that a row was taken from most recently is last. */
  const waiting = new Map<string, number>();
  const takePending = (host: string, rows: number): void => {
    const left = (waiting.get(host) ?? 0) - rows;
    // Inserting it again moves the host to the end of the line.
    if (rows > 0 || left <= 0) waiting.delete(host);
    if (left > 0) waiting.set(host, left);
  };
  for (const { url, host, state, page_url: pageUrl, title } of await listKnownUrls(db, jobId)) {
    seen.remember(url);
    counts[state] += 1;
    if (state === 'pending') takePending(host, -1);
    if (state === 'done' && pageUrl !== null && title !== null) titles.set(pageUrl, title);
  }
  const queues = createHostQueues(
    { pendingOf: (host) => waiting.get(host) ?? 0, takePending },
    (host, limit) => listNextUrls(db, jobId, { host, limit }),
  );
  return {
    hosts: () => waiting.keys(),
    counts: () => counts,
    titleOf: (pageUrl) => titles.get(pageUrl),
    claim: (pageUrl, title) => void titles.set(pageUrl, title),
    peek: queues.peek,
    take: queues.take,
    putBack: queues.putBack,
    admit(urls) {
      const fresh = urls.filter(seen.admit);
      for (const host of fresh.map(toHostKey)) {
        takePending(host, -1);
        queues.outdate(host);
      }
      counts.pending += fresh.length;
      return fresh;
    },
    settled(outcomes) {
      for (const outcome of outcomes) {
        queues.settled(outcome.row);
        if (outcome.state === 'retry') {
          takePending(outcome.row.host, -1);
          continue;
        }
        counts.pending -= 1;
        counts[outcome.state] += 1;
        // Visiting the start of a redirect has read its end as well.
        if (outcome.state === 'done') seen.remember(outcome.finalUrl);
      }
    },
  };
}

/** Decides which addresses a crawl job visits, and which pages are in its answer. */
type JobScope = {
  /** The scope of one visit: links are followed only from pages of the site. */
  from(url: string): VisitScope;
  /** Maps addresses as written to the ones to visit, each once. */
  toVisit(links: string[]): string[];
  /** Returns true if the page at an address may be in the answer. */
  wants(url: string): boolean;
  /** Returns the key of an address, which is unique among the pages of the answer. */
  keyOf(url: string): string;
};

/** `bases` are the start address and the address that it redirected to. */
function createJobScope(order: CrawlOrder, bases: string[]): JobScope {
  const include = order.include.map(compileJobPattern);
  const exclude = order.exclude.map(compileJobPattern);
  const isInside = (url: string): boolean =>
    bases.some(
      (base) =>
        (toHostKey(url) === toHostKey(base) && (order.entireDomain || isBelow(url, base))) ||
        (order.subdomains && toHostKey(url) !== toHostKey(base) && isSameSite(url, base)),
    );
  const isSelected = (url: string): boolean => {
    const texts = order.matchesWholeUrl ? [url] : listSpellings(new URL(url).pathname);
    const matches = (pattern: UrlPattern): boolean => texts.some((text) => pattern.isIn(text));
    return !exclude.some(matches) && (include.length === 0 || include.some(matches));
  };
  const covers = (url: string): boolean => isSelected(url) && (order.external || isInside(url));
  const selectUrls = (links: string[]): string[] => {
    const urls = new Set<string>();
    for (const link of links) {
      const url = toCrawlableUrl(order.ignoresQuery ? stripQuery(link) : link);
      if (url !== null && covers(url) && !hasSecret(url)) urls.add(url);
    }
    return [...urls];
  };
  const follows = order.sitemap !== 'only';
  return {
    from(url) {
      if (url !== order.start)
        return { covers, toVisit: (links) => (follows && isInside(url) ? selectUrls(links) : []) };
      let site = selectUrls;
      return {
        // The start page may redirect anywhere; its target then defines the site.
        covers(end) {
          if (!bases.includes(end)) site = createJobScope(order, [...bases, end]).toVisit;
          return true;
        },
        toVisit: (links) => (follows ? site(links) : []),
      };
    },
    toVisit: selectUrls,
    wants: isSelected,
    keyOf: (url) => (order.foldsSpellings ? toSamePageKey(url) : url),
  };
}

function compileJobPattern(pattern: string): UrlPattern {
  const found = compilePattern(pattern);
  // The pattern was validated when the job was ordered.
  if ('problem' in found) throw new Error(`the pattern of a job ${found.problem}`);
  return found;
}

/** Returns true if the path of `url` is at or below that of `base`, or in the folder of `base` if its path names a file. */
function isBelow(url: string, base: string): boolean {
  const { pathname } = new URL(url);
  const path = new URL(base).pathname;
  const last = path.slice(path.lastIndexOf('/') + 1);
  const folder = last.includes('.') ? path.slice(0, -last.length) : `${path.replace(/\/$/, '')}/`;
  return pathname.startsWith(folder) || pathname === path;
}

function stripQuery(link: string): string {
  const at = link.indexOf('?');
  return at === -1 ? link : link.slice(0, at);
}
