import { execFileSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

/** Two versions of one page as they were published. */
export type VersionPair = { name: string; set: string; before: string; after: string };

const DOCUMENT = /^(?:readme|changelog|history)\.md$/i;
const PAIRS_PER_FILE = 8;
/** Two commits so far apart differ in more than a word. */
const COMMITS_APART = 3;
const CHANGELOGS_MAX = 90;

/**
 * Reads pairs that lie on this machine: READMEs and changelogs of packages that are installed in two versions, the history of this
 * project's documents, and Debian's changelogs with and without their newest entry.
 */
export function readRealPairs(root: string): VersionPair[] {
  return [...readPackagePairs(root), ...readHistoryPairs(root), ...readChangelogPairs()].filter(
    ({ before, after }) => before !== after,
  );
}

function readPackagePairs(root: string): VersionPair[] {
  const versions = new Map<string, Map<string, string>>();
  for (const file of globSync(
    '{.,test/clients,test/clients/inspector,runtime/*}/node_modules/**/package.json',
    { cwd: root },
  )) {
    const folder = join(root, file, '..');
    const { name, version }: { name?: string; version?: string } = JSON.parse(
      readFileSync(join(root, file), 'utf8'),
    );
    if (name === undefined || version === undefined) continue;
    for (const document of globSync('*.md', { cwd: folder }).filter((one) => DOCUMENT.test(one))) {
      const key = `${name} ${document.toLowerCase()}`;
      const known = versions.get(key) ?? new Map<string, string>();
      versions.set(key, known.set(version, readFileSync(join(folder, document), 'utf8')));
    }
  }
  return [...versions].flatMap(([name, texts]) => {
    const [[, before] = [], ...others] = [...texts].sort(([one], [other]) =>
      one.localeCompare(other, 'en', { numeric: true }),
    );
    const after = others.at(-1)?.[1];
    return before === undefined || after === undefined ? [] : [{ name, set: 'packages', before, after }];
  });
}

function readHistoryPairs(root: string): VersionPair[] {
  const git = (...args: string[]): string =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1_048_576 });
  const files = git('ls-files', '*.md')
    .split('\n')
    .filter((file) => file !== '' && !file.startsWith('test/'));
  return files.flatMap((file) => {
    const commits = git('log', '--format=%h', '--', file).split('\n').filter(Boolean);
    const pairs: VersionPair[] = [];
    for (let at = 0; at + 1 < commits.length && pairs.length < PAIRS_PER_FILE; at += COMMITS_APART) {
      const [after, before] = [commits[at], commits[Math.min(at + COMMITS_APART, commits.length - 1)]];
      try {
        pairs.push({
          name: `${file} ${before}..${after}`,
          set: 'documents',
          before: git('show', `${before}:${file}`),
          after: git('show', `${after}:${file}`),
        });
      } catch {
        // The file had another name then.
      }
    }
    return pairs;
  });
}

function readChangelogPairs(): VersionPair[] {
  if (!existsSync('/usr/share/doc')) return [];
  return globSync('/usr/share/doc/*/changelog.Debian.gz')
    .sort()
    .slice(0, CHANGELOGS_MAX)
    .flatMap((file) => {
      const after = gunzipSync(readFileSync(file)).toString().slice(0, 200_000);
      // Each entry begins at the margin with the name and version of the package.
      const next = /\n\S[^\n]*\) [^\n]*;/.exec(after)?.index ?? -1;
      return next === -1 ? [] : [{ name: file, set: 'Debian', before: after.slice(next + 1), after }];
    });
}
