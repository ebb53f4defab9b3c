/**
 * Makes the API reference of a published package from its files: a Markdown page for each module, with the signature and the
 * documentation comment of each public item. Packages are hostile input: nothing of them is run, every file and the whole are
 * bounded in size, number, depth and time, and a file that cannot be read is named instead of ending the run. What a package
 * means is read as far as its declarations go: no types are inferred, no macros expanded, no names of other packages followed.
 */

import type { ApiModule } from './api-module.ts';
import { readGoModules } from './languages/go.ts';
import { readJvmModules } from './languages/jvm.ts';
import { readNpmModules } from './languages/npm.ts';
import { readPythonModules } from './languages/python.ts';
import { readRustModules } from './languages/rust.ts';
import type { GrammarName, Grammars } from './open-grammars.ts';
import { type ReferencePage, writeReferencePages } from './reference-page.ts';
import { createSourceReader, LIMITS, type SkippedFile, type SourceReader } from './source-reader.ts';

export type ApiEcosystem = 'npm' | 'python' | 'rust' | 'go' | 'jvm';

type ApiReference = { pages: ReferencePage[]; skipped: SkippedFile[] };

const READERS: Record<ApiEcosystem, (source: SourceReader) => ApiModule[]> = {
  npm: readNpmModules,
  python: readPythonModules,
  rust: readRustModules,
  go: readGoModules,
  jvm: readJvmModules,
};

/** The grammars that packages of an ecosystem need. */
export const GRAMMARS: Record<ApiEcosystem, readonly GrammarName[]> = {
  npm: ['typescript', 'javascript'],
  python: ['python'],
  rust: ['rust'],
  go: ['go'],
  jvm: ['java', 'kotlin'],
};

/**
 * `files` holds the texts of a package by path, with or without the folder that archives put around it. `now` is a clock in
 * milliseconds. Pages are sorted by module.
 */
export function createApiReference(
  files: ReadonlyMap<string, string>,
  ecosystem: ApiEcosystem,
  { grammars, now }: { grammars: Grammars; now: () => number },
): ApiReference {
  const source = createSourceReader(removeOuterFolder(files), grammars, now);
  const modules = READERS[ecosystem](source);
  const pages: ReferencePage[] = [];
  const fragments = new Set<string>();
  let items = 0;
  for (const module of modules.toSorted((one, other) => (one.name < other.name ? -1 : 1))) {
    if (items > LIMITS.declarationsMax) {
      source.skip(module.name, `more than ${LIMITS.declarationsMax} items`);
      continue;
    }
    for (const page of writeReferencePages(module)) {
      // Two modules whose names differ only in their separators would overwrite each other.
      if (fragments.has(page.fragment)) continue;
      fragments.add(page.fragment);
      pages.push(page);
      items += page.items.length;
    }
  }
  return { pages, skipped: source.skipped };
}

/** Archives of npm, crates and Python sources put everything into one folder. */
function removeOuterFolder(files: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const manifests = /^[^/]+\/(?:package\.json|Cargo\.toml|PKG-INFO|pyproject\.toml|setup\.py|go\.mod)$/;
  const [first] = files.keys();
  const folder = first?.slice(0, first.indexOf('/') + 1) ?? '';
  const paths = [...files.keys()];
  const isOuter = folder !== '' && paths.every((path) => path.startsWith(folder));
  if (!isOuter || !paths.some((path) => manifests.test(path))) return files;
  return new Map([...files].map(([path, text]) => [path.slice(folder.length), text]));
}
