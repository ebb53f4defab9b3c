import type { DatabaseSync } from 'node:sqlite';
import { stemLanguage } from '../text/words/stems.ts';
import type { PageTokens } from './index-tokens.ts';

/** A page that is added or removed. */
type PageDelta = { host: string; language: string | null; lengths: PageTokens['lengths']; sign: 1 | -1 };

/** Keeps the sums over all pages. Writes them once for many pages, because each write costs as much as a small page. */
type IndexSums = {
  add(page: PageDelta): void;
  /** Writes what was added; to be called before the savepoint or transaction ends. */
  flush(): void;
  /** Drops what was added since the last flush. */
  undo(): void;
};

const FIELDS = ['title', 'headings', 'address', 'body'] as const;

export function createSums(database: DatabaseSync): IndexSums {
  const addHost = database.prepare(
    'insert into host values (?, ?) on conflict do update set pages = pages + excluded.pages',
  );
  const emptyHost = database.prepare('delete from host where name = ? and pages <= 0');
  const addLanguage = database.prepare(
    'insert into language values (?, ?) on conflict do update set pages = pages + excluded.pages',
  );
  const addTotal = database.prepare(
    `update total set pages = pages + ?, title = title + ?, headings = headings + ?, address = address + ?, body = body + ?`,
  );
  let sums = createEmptySums();
  return {
    add({ host, language, lengths, sign }) {
      const spoken = stemLanguage(language);
      sums.hosts.set(host, (sums.hosts.get(host) ?? 0) + sign);
      sums.languages.set(spoken, (sums.languages.get(spoken) ?? 0) + sign);
      sums.pages += sign;
      for (const field of FIELDS) sums.lengths[field] += sign * lengths[field];
      sums.isEmpty = false;
    },
    flush() {
      if (sums.isEmpty) return;
      for (const [host, pages] of sums.hosts) {
        addHost.run(host, pages);
        if (pages <= 0) emptyHost.run(host);
      }
      for (const [language, pages] of sums.languages) addLanguage.run(language, pages);
      addTotal.run(sums.pages, ...FIELDS.map((field) => sums.lengths[field]));
      sums = createEmptySums();
    },
    undo() {
      sums = createEmptySums();
    },
  };
}

const createEmptySums = () => ({
  isEmpty: true,
  pages: 0,
  hosts: new Map<string, number>(),
  languages: new Map<string, number>(),
  lengths: { title: 0, headings: 0, address: 0, body: 0 },
});
