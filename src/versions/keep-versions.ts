import { LRUCache } from 'lru-cache';
import { Failure } from '../contract/errors.ts';
import { isGone } from '../pages/load-page.ts';
import type { OpenPage } from '../pages/open-page-types.ts';
import type { Background } from '../platform/background.ts';
import type { Clock } from '../platform/clock.ts';
import type { Versions } from './versions.ts';

/** Opens the store of versions on its first use: a server of which nobody wants versions has none. */
export type OpenVersions = () => Promise<Versions>;

/** Pages whose last recorded visit is kept in memory, so that reading a cached page again asks no store. */
const KNOWN_MAX = 20_000;

/**
 * Wraps an `OpenPage`: each visit of a public page that may be kept is recorded in the background, also one that found the page
 * unchanged or gone. A page as a browser or a caller's own headers show it is another text, and not recorded.
 */
export function keepVersions(
  openPage: OpenPage,
  { versions, background, clock }: { versions: OpenVersions; background: Background; clock: Clock },
): OpenPage {
  const known = new LRUCache<string, number>({ max: KNOWN_MAX });
  return async (url, options) => {
    const isRecorded =
      options.keep !== false && options.engine === undefined && options.headers === undefined;
    try {
      const page = await openPage(url, options);
      const { article, fetchedAt: at, cache, privacy } = page;
      const isPublic = privacy === null && !article.url.includes('#');
      if (isRecorded && isPublic && cache !== 'stale' && known.get(url) !== at) {
        known.set(url, at);
        background.run('keep a version of a page', async () =>
          (await versions()).record({ url, article, at }),
        );
      }
      return page;
    } catch (error) {
      if (isRecorded && error instanceof Failure && isGone(error))
        background.run('note that a page is gone', async () =>
          (await versions()).recordGone({ url, at: clock.now() }),
        );
      throw error;
    }
  };
}
