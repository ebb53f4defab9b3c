import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { toIndexedPage } from '../../src/index/indexed-page.ts';
import type { IndexedPage } from '../../src/index/local-index-types.ts';
import { extractHtml } from '../../src/pages/extract/extract-html.ts';

/** Where a package keeps its manual, below /usr/share/doc. */
const FOLDERS: Record<string, string> = {
  'python3.11-doc': 'python3.11/html',
  'postgresql-doc-15': 'postgresql-doc-15/html',
  'sqlite3-doc': 'sqlite3',
  'python-django-doc': 'python-django-doc/html',
};

/** The address under which a page of a manual is indexed. */
export const manualUrl = (name: string, path: string): string => `https://${name}.example/${path}`;

/** Every HTML page of a manual unpacked below `docs`, as the service would index it. */
export function readManual(docs: string, name: string): IndexedPage[] {
  const folder = join(docs, FOLDERS[name] ?? name);
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.html'),
  );
  return files.sort().flatMap((file) => {
    const path = relative(folder, join(folder, file));
    const url = manualUrl(name, path);
    const article = extractHtml(readFileSync(join(folder, file), 'utf8'), url);
    return article.markdown === '' ? [] : [{ ...toIndexedPage(article, 0), url }];
  });
}
