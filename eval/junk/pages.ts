import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { toIndexedPage } from '../../src/index/indexed-page.ts';
import type { IndexedPage } from '../../src/index/local-index-types.ts';
import { extractHtml } from '../../src/pages/extract/extract-html.ts';

/** Manuals that fill the larger indexes: folders below /usr/share/doc, and how many pages of each, evenly spaced by name. */
const FILLER: [folder: string, pages: number][] = [
  ['git-doc', 60],
  ['debian-handbook/html/en-US', 80],
  ['postfix/html', 60],
  ['varnish/html/users-guide', 30],
  ['cmake-data/html/command', 60],
  ['zsh-doc', 60],
  ['libvirt-doc/html', 60],
  ['python-celery-doc', 60],
  ['debian-policy', 40],
  ['exim4-doc-html', 60],
  ['valgrind/html', 30],
  ['octave/octave.html', 60],
  ['python3.11/html/library', 100],
  ['postgresql-doc-15/html', 100],
  ['sqlite3', 80],
  ['python-flask-doc/html', 40],
  ['python-django-doc/html/topics', 60],
];

/** A short page of our own. */
export function everydayPage({
  name,
  title,
  text,
}: {
  name: string;
  title: string;
  text: string;
}): IndexedPage {
  const url = `https://everyday.example/${name}`;
  return {
    url,
    title,
    headings: [title],
    markdown: `# ${title}\n\n${text}`,
    publishedDay: null,
    language: 'en',
    site: null,
    author: null,
    rawChars: text.length,
    fetchedAt: 0,
  };
}

/** A page of a manual as the service would index it. */
export function manualPage(file: string, path: string): IndexedPage {
  const url = `https://${path}`.replace(
    /^https:\/\/([^/]+)/,
    (_, folder: string) => `https://${folder}.example`,
  );
  return { ...toIndexedPage(extractHtml(readFileSync(file, 'utf8'), url), 0), url };
}

/** Further pages of manuals, in an order that mixes them; none of `known`. */
export function fillerPages(docs: string[], known: ReadonlySet<string>): IndexedPage[] {
  const pages = FILLER.flatMap(([folder, wanted]) => {
    const root = docs.map((each) => join(each, folder)).find(existsSync);
    if (root === undefined) throw new Error(`no ${folder} in ${docs.join()}`);
    const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.html') && !file.includes('XREF'))
      .filter((file) => statSync(join(root, file)).isFile())
      .sort();
    const step = Math.max(1, files.length / wanted);
    return Array.from({ length: Math.min(wanted, files.length) }, (_, place) => {
      const file = files[Math.floor(place * step)] ?? '';
      return { place: place / wanted, page: manualPage(join(root, file), `${folder}/${file}`) };
    });
  });
  return pages
    .sort((left, right) => left.place - right.place)
    .map(({ page }) => page)
    .filter(({ url, markdown }) => markdown !== '' && !known.has(url));
}
