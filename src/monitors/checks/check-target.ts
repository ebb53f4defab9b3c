/**
 * One check of what a monitor watches: reads it, compares it with what was seen last, and returns what changed and what is known now. It
 * writes nothing and charges nothing. The first check only learns. Every page is asked for conditionally, so that one that has not changed
 * costs its host an answer without a body.
 */
import { createHash } from 'node:crypto';
import { createFetchFailure, Failure } from '../../contract/errors.ts';
import { SITE } from '../../contract/limits.ts';
import type { SiteMap } from '../../crawl/site/site-map.ts';
import type { Page } from '../../pages/article.ts';
import { isGone } from '../../pages/load-page.ts';
import type { OpenPage } from '../../pages/open-page-types.ts';
import type { Search } from '../../search/search.ts';
import { compareTexts, type TextComparison } from '../../text/changes/compare-texts.ts';
import { writeChangesAsMarkdown } from '../../text/changes/write-changes.ts';
import { NO_FILTERS } from '../../text/query/filters.ts';
import { listMetConditions } from '../conditions.ts';
import type { Monitor, MonitorFinding, MonitorTarget } from '../monitor-types.ts';
import type { KnownState } from './known-state.ts';

/** The findings of a check, and what is known after it. */
export type CheckResult = {
  known: KnownState;
  findings: MonitorFinding[];
  isChanged: boolean;
  /** Pages that were sent anew, and searches and maps that were made; each costs a credit. */
  paid: number;
  compared: number;
  total: number;
  /** What a bound left out, in words; null: nothing. */
  leftOut: string | null;
};

export type CheckDeps = {
  openPage: OpenPage;
  search: Search;
  siteMap: SiteMap;
  /** Resolves to whether robots.txt lets us read an address without being asked for it each time. */
  mayFetch(url: string, signal: AbortSignal): Promise<boolean>;
  /** Waits between two pages of one site. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
};

type CheckContext = { monitor: Monitor; known: KnownState; signal: AbortSignal };

/** Longer texts are compared up to here. */
const TEXT_CHARS_MAX = 1_000_000;
const EARLIER_MAX = 2;
/** Changes in one event, and characters of its Markdown. */
const CHANGES_MAX = 100;
const MARKDOWN_CHARS_MAX = 8_000;
/** Findings of one check; the rest is counted in the last one. */
const FINDINGS_MAX = 20;
/** Entries of a feed that are watched, from the first on, and addresses that are remembered, so that no entry is new twice. */
const ENTRIES_MAX = 1_000;
const SEEN_MAX = 2 * ENTRIES_MAX;
/** Pages missing from the list of their site that one check asks for; the others wait for the next ones. */
const MISSING_READ_MAX = 20;
/** Milliseconds between two pages of one site, and those that a check leaves for reading pages after the map. */
const PAGE_GAP_MS = 1_000;
const MAP_MS = 40_000;

/** Throws `Failure('url_not_allowed' | 'fetch_failed' | 'recall_unavailable')` where nothing could be read. */
export async function checkTarget(deps: CheckDeps, context: CheckContext): Promise<CheckResult> {
  const { target } = context.monitor.order;
  if (target.kind === 'page') return checkPage(deps, context, target);
  if (target.kind === 'site') return checkSite(deps, context, target);
  if (target.kind === 'feed') return checkFeed(deps, context, target);
  return checkSearch(deps, context, target);
}

type Target<Kind extends MonitorTarget['kind']> = Extract<MonitorTarget, { kind: Kind }>;

async function checkPage(
  deps: CheckDeps,
  context: CheckContext,
  { url }: Target<'page'>,
): Promise<CheckResult> {
  const page = await openNow(deps, context, url);
  const { length } = page.article.markdown;
  const text = page.article.markdown.slice(0, TEXT_CHARS_MAX);
  const leftOut = describeRest('characters of the page', { watched: TEXT_CHARS_MAX, all: length });
  const { title } = page.article;
  const last = context.known.page;
  const earlier = last === undefined ? [] : [...last.earlier, last.text].slice(-EARLIER_MAX);
  const result = {
    known: { page: { title, text, earlier } },
    paid: countFetch(page),
    compared: 1,
    total: 1,
    leftOut,
  };
  if (last === undefined || last.text === text) return { ...result, findings: [], isChanged: false };
  const comparison = compareTexts(last.text, text, last.earlier);
  const { conditions: wanted } = context.monitor.order;
  const { changedShare, isChanged } = comparison;
  const conditions = listMetConditions(wanted, { before: last.text, after: text, changedShare });
  const isReported = wanted.length === 0 ? isChanged : conditions.length > 0;
  const findings = isReported ? [describeChange({ url, title, comparison, conditions })] : [];
  return { ...result, findings, isChanged };
}

function describeRest(what: string, { watched, all }: { watched: number; all: number }): string | null {
  if (all <= watched) return null;
  return `Only the first ${watched.toLocaleString('en')} of ${all.toLocaleString('en')} ${what} are watched.`;
}

function describeChange({
  url,
  title,
  comparison,
  conditions,
}: {
  url: string;
  title: string;
  comparison: TextComparison;
  conditions: string[];
}): MonitorFinding {
  const changes = comparison.changes.filter(({ noise }) => noise === null);
  const markdown = writeChangesAsMarkdown({ changes });
  const isLong = markdown.length > MARKDOWN_CHARS_MAX;
  return {
    kind: 'changed',
    url,
    title,
    markdown: isLong ? `${markdown.slice(0, MARKDOWN_CHARS_MAX)}\n\n[…]` : markdown,
    changes: changes.slice(0, CHANGES_MAX),
    changesTotal: changes.length,
    changedShare: comparison.changedShare,
    conditions,
  };
}

/** Opens a page and asks its origin. Throws `Failure('fetch_failed')` where robots.txt forbids it. */
async function openNow(
  { openPage, mayFetch }: CheckDeps,
  { monitor, signal }: CheckContext,
  url: string,
): Promise<Page> {
  if (!(await mayFetch(url, signal)))
    throw createFetchFailure('not_allowed', 'robots.txt of the site forbids programs to read this page');
  return openPage(url, {
    freshMs: 0,
    copies: 'never',
    signal,
    tenant: monitor.owner,
    keep: monitor.order.keep,
  });
}

/** A page that its origin confirmed without sending it again is free. */
const countFetch = ({ cache }: Page): number => (cache === 'miss' ? 1 : 0);

async function checkSite(
  deps: CheckDeps,
  context: CheckContext,
  { url, pagesMax }: Target<'site'>,
): Promise<CheckResult> {
  const { signal, known, monitor } = context;
  const listed = await deps.siteMap({
    starts: [url],
    filters: { ...NO_SITE_FILTERS },
    depthMax: SITE.depth.max,
    breadthMax: SITE.breadth.max,
    // One more than are watched, to know whether there are more.
    pagesMax: pagesMax + 1,
    instructions: null,
    budgetMs: MAP_MS,
    signal,
    tenant: monitor.owner,
    keep: monitor.order.keep,
  });
  const hasMore = listed.length > pagesMax;
  const before = known.site;
  const pages: Record<string, string | null> = {};
  for (const one of listed.slice(0, pagesMax)) pages[one] = before?.pages[one] ?? null;
  // The oldest of them are forgotten where the list has others at each check, as that of an endless site has.
  const missing = Object.keys(before?.pages ?? {})
    .filter((one) => !Object.hasOwn(pages, one))
    .slice(-pagesMax);
  const findings: MonitorFinding[] = [];
  const urls = Object.keys(pages);
  const from = before === undefined || before.next >= urls.length ? 0 : before.next;
  const turns = [...urls.slice(from), ...urls.slice(0, from)];
  const reading = await readPages(deps, context, [...missing.slice(0, MISSING_READ_MAX), ...turns]);
  const kept: Record<string, string | null> = {};
  for (const one of missing) {
    const read = reading.read.get(one);
    if (read === 'gone') findings.push(describeAddress('removed', { url: one, title: one }));
    // A page that is only missing from the list is kept: lists are cut, and links come and go.
    else kept[one] = before?.pages[one] ?? null;
  }
  for (const one of turns) {
    const read = reading.read.get(one);
    const last = before?.pages[one];
    if (before !== undefined && last === undefined)
      findings.push(describeAddress('added', { url: one, title: titleOf(read) ?? one }));
    if (read === undefined || read === 'gone' || read === 'failed') continue;
    if (typeof last === 'string' && last !== read.hash)
      findings.push(describeAddress('changed', { url: one, title: read.title }));
    pages[one] = read.hash;
  }
  const reached = turns.findIndex((one) => !reading.read.has(one));
  const next = reached === -1 ? 0 : (from + reached) % Math.max(1, urls.length);
  return {
    known: { site: { pages: { ...kept, ...pages }, next } },
    findings: selectFindings(findings, monitor),
    isChanged: findings.length > 0,
    paid: 1 + reading.paid,
    compared: reading.read.size,
    total: missing.length + urls.length,
    leftOut: hasMore
      ? `The site has more than ${pagesMax} pages; only those that its list names first are watched.`
      : null,
  };
}

const NO_SITE_FILTERS = {
  selectPaths: [],
  excludePaths: [],
  selectDomains: [],
  excludeDomains: [],
  allowExternal: false,
};

type ReadResult = { title: string; hash: string } | 'gone' | 'failed';
const titleOf = (read: ReadResult | undefined): string | null =>
  read === undefined || typeof read === 'string' ? null : read.title;

/** Reads pages one after another until time runs out; those that were not reached are absent. */
async function readPages(
  deps: CheckDeps,
  context: CheckContext,
  urls: readonly string[],
): Promise<{ read: Map<string, ReadResult>; paid: number }> {
  const read = new Map<string, ReadResult>();
  let paid = 0;
  for (const url of urls) {
    try {
      if (read.size > 0) await deps.wait(PAGE_GAP_MS, context.signal);
      const page = await openNow(deps, context, url);
      paid += countFetch(page);
      const { title, markdown } = page.article;
      read.set(url, { title, hash: createHash('sha256').update(markdown).digest('base64') });
    } catch (error) {
      if (context.signal.aborted) break;
      if (!(error instanceof Failure)) throw error;
      read.set(url, isGone(error) ? 'gone' : 'failed');
    }
  }
  return { read, paid };
}

async function checkFeed(
  deps: CheckDeps,
  context: CheckContext,
  { url }: Target<'feed'>,
): Promise<CheckResult> {
  const page = await openNow(deps, context, url);
  const { kind, links, markdown } = page.article;
  if (kind !== 'feed') throw createFetchFailure('unsupported_type', 'the address is not a feed');
  const entries = links
    .slice(0, ENTRIES_MAX)
    .map((link) => ({ url: link, title: findLinkText(markdown, link) ?? link }));
  const leftOut = describeRest('entries', { watched: ENTRIES_MAX, all: links.length });
  return { ...compareLists(context, entries), paid: countFetch(page), leftOut };
}

/** Returns the text of the first link to an address. */
function findLinkText(markdown: string, url: string): string | null {
  const end = markdown.indexOf(`](${url})`);
  const start = end === -1 ? -1 : markdown.lastIndexOf('[', end);
  return start === -1 ? null : markdown.slice(start + 1, end).replace(/\\(.)/g, '$1');
}

async function checkSearch(
  deps: CheckDeps,
  context: CheckContext,
  { query, resultsMax }: Target<'search'>,
): Promise<CheckResult> {
  const { signal, monitor } = context;
  const { results } = await deps.search({
    ...NO_FILTERS,
    query,
    numResults: resultsMax,
    contents: null,
    signal,
    tenant: monitor.owner,
    keep: monitor.order.keep,
  });
  const found = results.filter(({ isWeak }) => isWeak !== true);
  return { ...compareLists(context, found), paid: 1, leftOut: null };
}

/** Compares the addresses of entries or results with those seen before. */
function compareLists(
  { known, monitor }: CheckContext,
  entries: readonly { url: string; title: string }[],
): Omit<CheckResult, 'paid' | 'leftOut'> {
  const before = known.seen;
  const seen = new Set(before);
  const added = before === undefined ? [] : entries.filter(({ url }) => !seen.has(url));
  // An address that is seen again stays young.
  for (const { url } of entries) {
    seen.delete(url);
    seen.add(url);
  }
  return {
    known: { seen: [...seen].slice(-SEEN_MAX) },
    findings: selectFindings(
      added.map((entry) => describeAddress('added', entry)),
      monitor,
    ),
    isChanged: added.length > 0,
    compared: entries.length,
    total: entries.length,
  };
}

function describeAddress(
  kind: 'added' | 'removed' | 'changed',
  { url, title }: { url: string; title: string },
): MonitorFinding {
  return { kind, url, title, markdown: '', changes: [], changesTotal: 0, changedShare: null, conditions: [] };
}

/** Keeps the findings that a phrase among the conditions selects, if there is one, and the first twenty, the last of which names the rest. */
function selectFindings(findings: MonitorFinding[], { order }: Monitor): MonitorFinding[] {
  const phrases = order.conditions.flatMap((one) =>
    one.kind === 'phrase' ? [one.phrase.toLowerCase()] : [],
  );
  const wanted =
    phrases.length === 0
      ? findings
      : findings.filter(({ title, url }) =>
          phrases.some((phrase) => `${title} ${url}`.toLowerCase().includes(phrase)),
        );
  if (wanted.length <= FINDINGS_MAX) return wanted;
  const kept = wanted.slice(0, FINDINGS_MAX);
  const rest = wanted.slice(FINDINGS_MAX).map(({ kind, url, title }) => `- ${kind}: [${title}](${url})`);
  const last = kept.at(-1);
  if (last !== undefined) last.markdown = `And ${rest.length} more:\n\n${rest.slice(0, 100).join('\n')}`;
  return kept;
}
