import { AsyncResource } from 'node:async_hooks';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { describe } from 'node:test';

const ROOT = join(import.meta.dirname, '../..');
const FILE_TIMEOUT_MS = 600_000;

type Part = { part: number; of: number };

/**
 * Runs test files in this process, one after another, each as a suite of its own, so that its hooks concern its own tests alone.
 * A process for each file would spend most of its time on starting and on loading the service. Files can be divided among several
 * groups that run side by side.
 */
export function describeFiles(pattern: string, share?: Part): void {
  let loaded: Promise<unknown> = Promise.resolve();
  for (const file of findFiles(pattern, share))
    describe(file, { timeout: FILE_TIMEOUT_MS }, async () => {
      // The runner gives a test to the suite whose callback is running: files are loaded one at a time, each bound to its suite.
      const load = AsyncResource.bind(() => import(join(ROOT, file)));
      loaded = loaded.catch(() => {}).then(load);
      await loaded;
    });
}

/** The files of a group, as paths in the project; `part` counts from 1. */
export function findFiles(pattern: string, { part, of: parts }: Part = { part: 1, of: 1 }): string[] {
  const files = globSync(pattern, { cwd: ROOT }).sort();
  return files.filter((_, index) => index % parts === part - 1);
}
