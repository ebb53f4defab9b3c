import type { Article } from '../pages/article.ts';
import type { TextComparison } from '../text/changes/compare-texts.ts';
import type { CompareVersions, LinePatch } from './compare-versions.ts';
import type { OpenVersions } from './keep-versions.ts';

/** A page that somebody has just read, to be compared with what they saw of it before. */
type TrackedPage = {
  url: string;
  article: Article;
  at: number;
  /** Who tracks it, and under which name; each has a history of their own. */
  owner: string;
  tag: string;
  /** True if only the owner may see the page. */
  isPrivate: boolean;
};

type TrackOptions = Parameters<CompareVersions['byBlock']>[1];

/**
 * How a page differs from what its reader saw before. `same`: nothing but noise differs. The comparison is null where nothing is compared,
 * also because the earlier text is no longer kept.
 */
export type TrackedChange = {
  status: 'new' | 'same' | 'changed' | 'removed';
  /** When the reader saw the page before, in milliseconds since the epoch. */
  previousAt: number | null;
  comparison: TextComparison | null;
  patch: LinePatch | null;
};

export type TrackChanges = {
  /** Compares a page with what its reader saw before, and remembers what they see now. */
  track(page: TrackedPage, options: TrackOptions): Promise<TrackedChange>;
  /** Returns the change of a page that is gone; null if this reader has not seen it before. */
  trackGone(page: Pick<TrackedPage, 'url' | 'owner' | 'tag' | 'at'>): Promise<TrackedChange | null>;
};

/** Names of the versions in a unified diff. */
const NAMES = { before: 'previous', after: 'current' };

export function createTrackChanges(
  openVersions: OpenVersions,
  compareVersions: CompareVersions,
): TrackChanges {
  return {
    async track({ url, article, at, owner, tag, isPrivate }, options) {
      const versions = await openVersions();
      const { version } = await versions.record({ url, article, at, ...(isPrivate ? { owner } : {}) });
      const mark = await versions.findMark({ url, owner, tag });
      const { id: versionId, contentHash } = version;
      await versions.setMark({ url, owner, tag }, { versionId, contentHash, seenAt: at });
      if (mark === null) return { status: 'new', previousAt: null, comparison: null, patch: null };
      const previousAt = mark.seenAt;
      if (mark.contentHash === contentHash)
        return { status: 'same', previousAt, comparison: null, patch: null };
      const before = await versions.find(mark.versionId, { owner });
      if (before === null || (await versions.readText(before)) === null)
        return { status: 'changed', previousAt, comparison: null, patch: null };
      const pair = { before, after: version };
      const comparison = await compareVersions.byBlock(pair, options);
      const patch = await compareVersions.byLine(pair, { ...options, names: NAMES });
      return { status: comparison.isChanged ? 'changed' : 'same', previousAt, comparison, patch };
    },
    async trackGone({ url, owner, tag, at }) {
      const versions = await openVersions();
      const mark = await versions.findMark({ url, owner, tag });
      if (mark === null) return null;
      await versions.recordGone({ url, at });
      return { status: 'removed', previousAt: mark.seenAt, comparison: null, patch: null };
    },
  };
}
