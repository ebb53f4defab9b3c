import type { ArchiveFile } from '../archives/read-archive.ts';
import type { SourceDocument } from './source-document.ts';

/** Pages of the generator that only list what others say. */
const LISTS =
  /(?:^|\/)(?:class-use|index-files|legal|jquery|resources|script-dir|src-html)\/|(?:^|\/)(?:package-(?:use|tree|frame)|all(?:classes|packages)(?:-\w+)?|overview-(?:tree|frame)|index(?:-\d+|-all)?|help-doc|deprecated-list|constant-values|serialized-form|search|system-properties|new-list|preview-list|restricted-list|external-specs|module-(?:use|tree))\.html$/;
const PAGES_MAX = 1_500;

/** Chooses the pages of a javadoc archive: overviews and packages as reference, classes as API. Kotlin's generator is not told apart. */
export function listJavadocDocuments(
  files: readonly ArchiveFile[],
  addressOf: (path: string) => string,
): SourceDocument[] {
  return files
    .filter(({ path }) => isJavadocPage(path))
    .map(({ path, bytes }): SourceDocument => {
      const isOverview = /(?:^|\/)(?:overview-summary|package-summary|module-summary)\.html$/.test(path);
      return {
        url: addressOf(path),
        kind: isOverview ? 'reference' : 'api',
        source: 'javadoc',
        path,
        body: { bytes, contentType: 'text/html; charset=utf-8' },
      };
    })
    .toSorted((one, other) => Number(one.kind === 'api') - Number(other.kind === 'api'))
    .slice(0, PAGES_MAX);
}

export const isJavadocPage = (path: string): boolean => path.endsWith('.html') && !LISTS.test(path);
