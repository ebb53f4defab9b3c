import { Failure } from '../contract/errors.ts';
import { buildPlainArticle } from '../pages/formats/plain-article.ts';
import type { OpenPage } from '../pages/open-page-types.ts';
import type { OpenVersions } from './keep-versions.ts';

/**
 * Wraps an `OpenPage` so that a page wanted as of an instant is the version that was in force then. Nothing is fetched for it. Throws
 * `Failure('not_found')` where no version is kept, or the page was gone at that time.
 */
export function serveVersions(openPage: OpenPage, openVersions: OpenVersions): OpenPage {
  return async (url, options) => {
    const { at, tenant } = options;
    if (at === undefined) return openPage(url, options);
    const versions = await openVersions();
    const version = await versions.findAt(url, at, { owner: tenant ?? undefined });
    if (version === null) throw new Failure('not_found', 'No version of this page is kept.');
    if (version.status === 'gone') throw new Failure('not_found', 'At that time the page was gone.');
    const markdown = await versions.readText(version);
    if (markdown === null) throw new Failure('not_found', 'The version of that time is no longer kept.');
    const { title, firstSeenAt } = version;
    return {
      article: buildPlainArticle(version.url, {
        kind: 'markdown',
        title,
        markdown,
        rawChars: markdown.length,
      }),
      fetchedAt: firstSeenAt,
      cache: 'hit',
      privacy: null,
    };
  };
}
