import { Failure } from '../contract/errors.ts';
import type { Page } from '../pages/article.ts';
import { computeContentHash } from '../pages/content-hash.ts';
import type { OpenOptions, OpenPage } from '../pages/open-page-types.ts';
import type { Clock } from '../platform/clock.ts';
import { collectCitations, type QuotedCitation } from './compare-records.ts';
import type { OpenVersions } from './keep-versions.ts';
import type { RecordedPage, RecordName } from './record-rows.ts';
import type { Records, ResearchRecord } from './records.ts';

/** A recorded page, its text if that is still kept, and what is known of the page by now. */
export type ReplayedPage = RecordedPage & {
  text: string | null;
  /** `unknown`: it has not been read since. `seenAt`: when the service last saw it; null if it has not since. */
  since: { state: 'same' | 'changed' | 'gone' | 'unknown'; seenAt: number | null };
};

/** `isVerified`: the words stand at their place in the kept text. `standsNow`: also in the page as last seen; null if unknown. */
type ReplayedCitation = QuotedCitation & { isVerified: boolean; standsNow: boolean | null };

export type Replay = {
  record: ResearchRecord;
  pages: ReplayedPage[];
  citations: ReplayedCitation[];
};

/** Replays a record, and says what has changed since by what was read meanwhile; null if there is no such record. It fetches nothing. */
export type ReplayRecord = (
  name: RecordName,
  options: Pick<OpenOptions, 'signal' | 'tenant'>,
) => Promise<Replay | null>;

/** A page as it was last seen; null text: it is gone, or was not kept. */
type LatestPage = { seenAt: number; isGone: boolean; contentHash: string; text: string | null };

export function createReplayRecord(parts: {
  records: () => Promise<Records>;
  versions: OpenVersions;
  openPage: OpenPage;
  clock: Clock;
}): ReplayRecord {
  const findLatest = async (
    { url, readAt }: RecordedPage,
    { signal, tenant }: Parameters<ReplayRecord>[1],
  ): Promise<LatestPage | null> => {
    const versions = await parts.versions();
    const version = await versions.findAt(url, parts.clock.now(), { owner: tenant });
    const copy = await openCopy(parts.openPage, url, { signal, tenant });
    const copiedAt = copy?.fetchedAt ?? -1;
    if (version !== null && version.lastSeenAt >= Math.max(readAt, copiedAt)) {
      const { lastSeenAt: seenAt, status, contentHash } = version;
      const isGone = status === 'gone';
      return { seenAt, isGone, contentHash, text: isGone ? null : await versions.readText(version) };
    }
    if (copy === null || copiedAt < readAt) return null;
    const { markdown } = copy.article;
    return { seenAt: copiedAt, isGone: false, contentHash: computeContentHash(markdown), text: markdown };
  };
  return async (name, options) => {
    const records = await parts.records();
    const versions = await parts.versions();
    const record = await records.find(name);
    if (record === null) return null;
    const seen = await Promise.all(
      record.pages.map(async (page) => {
        const version = await records.findPage(name, page);
        const text = version && (await versions.readText(version));
        const latest = await findLatest(page, options);
        return { page: { ...page, text, since: describeSince(page, latest) }, latest };
      }),
    );
    const citations = collectCitations(record.answer).map((citation): ReplayedCitation => {
      const { page, latest } = seen.find((one) => one.page.contentHash === citation.contentHash) ?? {};
      const quote = page?.text?.slice(citation.start, citation.end) ?? null;
      const isVerified = quote !== null && quote !== '' && quote.length === citation.end - citation.start;
      return { ...citation, quote, isVerified, standsNow: quote === null ? null : isQuotedIn(quote, latest) };
    });
    return { record, pages: seen.map(({ page }) => page), citations };
  };
}

/** Opens the copy that the service has, of any age; null if it has none. */
async function openCopy(
  openPage: OpenPage,
  url: string,
  options: Pick<OpenOptions, 'signal' | 'tenant'>,
): Promise<Page | null> {
  try {
    return await openPage(url, { ...options, copies: 'only', keep: false });
  } catch (error) {
    if (error instanceof Failure) return null;
    throw error;
  }
}

function describeSince({ contentHash }: RecordedPage, latest: LatestPage | null): ReplayedPage['since'] {
  if (latest === null) return { state: 'unknown', seenAt: null };
  const { seenAt, isGone } = latest;
  return { state: isGone ? 'gone' : latest.contentHash === contentHash ? 'same' : 'changed', seenAt };
}

function isQuotedIn(quote: string, latest: LatestPage | null | undefined): boolean | null {
  if (latest == null) return null;
  return latest.isGone ? false : (latest.text?.includes(quote) ?? null);
}
