import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listSiteLabels, matchesSiteName } from './site-name.ts';

const names = (word: string, url: string): boolean => matchesSiteName(word, listSiteLabels(url));

const CASES: [word: string, url: string, isNamed: boolean][] = [
  ['postgres', 'https://www.postgresql.org/docs/15/wal.html', true],
  ['postgresql', 'https://www.postgresql.org/docs/15/wal.html', true],
  ['python', 'https://docs.python.org/3/library/csv.html', true],
  ['node', 'https://nodejs.org/api/fs.html', true],
  ['django', 'https://docs.djangoproject.com/en/5.0/', true],
  ['sqlite', 'https://manuals.example.org/sqlite3/wal.html', true],
  ['post', 'https://www.postgresql.org/docs/', false],
  ['data', 'https://database.example.org/', false],
  ['docs', 'https://docs.python.org/3/', false],
  ['wal', 'https://www.postgresql.org/docs/15/wal.html', false],
  ['', 'https://www.postgresql.org/', false],
];

for (const [word, url, isNamed] of CASES)
  test(`"${word}" ${isNamed ? 'names' : 'does not name'} the site of ${url}`, () =>
    assert.equal(names(word, url), isNamed));
