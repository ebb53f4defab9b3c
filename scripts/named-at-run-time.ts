// What a source file names at run time, where a bundler does not see it.
import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/** The addresses of modules are in this list alone, so that the bundle keeps each of them as a file. */
const LIST = 'platform/threads/thread-modules.ts';
/** The relative path of a module in quotes, where it is not imported. */
const MODULES = /(?<!\b(?:from|import) |\bimport\(\s*)['"`](\.{1,2}\/[^'"`\n]+\.ts)['"`]/g;
/** The address of the module itself, given away. */
const OWN = /(?<!createRequire\(|, )\bimport\.meta\.url\b/;
/** Data that is read: `new URL('signals.json', import.meta.url)`. */
const FILES = /new URL\(\s*'([^']+)',\s*import\.meta\.url/g;

/** The faults of the source file at `path` below the folder `sources`. */
export function faultsOfNames(path: string, code: string, sources: string): string[] {
  if (path === LIST) return [];
  const found = (pattern: RegExp): string[] => [...code.matchAll(pattern)].map(([, name = '']) => name);
  return [
    ...found(MODULES).map((name) => `${name} is named by its address, which belongs into THREAD_MODULES`),
    ...(OWN.test(code) ? ['the address of the module itself belongs into THREAD_MODULES'] : []),
    ...found(FILES)
      .filter((name) => !existsSync(resolve(sources, dirname(path), name)))
      .map((name) => `${name} does not exist`),
  ].map((fault) => `src/${path}: ${fault}`);
}
