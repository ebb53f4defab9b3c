import { resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Config } from '../app/config.ts';
import { createLocalIndex } from '../index/local-index.ts';
import type { LocalIndex } from '../index/local-index-types.ts';
import { orderRebuild } from '../index/rebuild/old-files.ts';
import { systemClock } from '../platform/clock.ts';
import { createLog } from '../platform/log.ts';
import { FileInUse } from '../platform/store/open-sqlite.ts';
import { createProgressLine } from './progress-line.ts';
import { formatSize } from './search.ts';
import { watchInterruption } from './until-interrupted.ts';

const LOOK_MS = 200;

/** `sanderling index rebuild`: does at once what a new layout does in the background. Resolves to the exit code. */
export async function rebuildIndex({ dataDir }: Config): Promise<number> {
  const path = resolve(dataDir, 'index.db');
  try {
    if (!orderRebuild(path)) {
      process.stderr.write(`There is no index in ${resolve(dataDir)}.\n`);
      return 1;
    }
  } catch (error) {
    if (!(error instanceof FileInUse)) throw error;
    process.stderr.write(`${error.message}.\n`);
    return 1;
  }
  const index = await createLocalIndex({ path, log: createLog('error') });
  try {
    if (!(await watch(index))) {
      process.stderr.write('The rest is rebuilt by the next start, or by this command.\n');
      return 130;
    }
    process.stdout.write(`Rebuilt: ${formatSize(await index.size())}.\n`);
    return 0;
  } finally {
    await index.close();
  }
}

/** Shows the progress until the index is rebuilt; resolves to false if it was interrupted. */
async function watch(index: LocalIndex): Promise<boolean> {
  const interruption = watchInterruption();
  const progress = createProgressLine(process.stderr, systemClock);
  try {
    for (;;) {
      const rebuilding = index.rebuilding();
      if (rebuilding === null) return true;
      if (interruption.signal.aborted) return false;
      progress.show({ done: rebuilding.pages, total: rebuilding.of, unit: 'page', facts: [] });
      await Promise.race([index.rebuilt(), pause(LOOK_MS)]);
    }
  } finally {
    progress.stop();
    interruption.stop();
  }
}
