import { Failure } from '../contract/errors.ts';
import type { Page } from '../pages/article.ts';
import { buildPlainArticle } from '../pages/formats/plain-article.ts';
import type { OpenPage } from '../pages/open-page-types.ts';
import type { OpenVersions } from './keep-versions.ts';
import type { PageVersion, Versions } from './versions.ts';

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
    return openVersion(versions, version);
  };
}

/**
 * Creates an `OpenPage` of what was known at the instant that it is asked for: the version in force then, else the page that the index
 * holds if it was fetched by then. It makes no request. Throws `Failure('not_found')` for a page of which nothing was known, or that was gone.
 */
export function openAsOf(openHeld: OpenPage, openVersions: OpenVersions): OpenPage {
  return async (url, options) => {
    const { at = Number.POSITIVE_INFINITY, tenant } = options;
    const versions = await openVersions();
    const version = await versions.findAt(url, at, { owner: tenant ?? undefined });
    if (version !== null && version.firstSeenAt <= at) return openVersion(versions, version);
    const page = await openHeld(url, options);
    if (page.fetchedAt <= at) return page;
    throw new Failure('not_found', 'At that time the page was not known.');
  };
}

async function openVersion(versions: Versions, version: PageVersion): Promise<Page> {
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
}
