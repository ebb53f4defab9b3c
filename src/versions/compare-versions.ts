import { Failure } from '../contract/errors.ts';
import { TASK_LIMITS } from '../platform/threads/pool-limits.ts';
import {
  type RunOptions,
  TaskFailed,
  type TaskPool,
  type ThreadTask,
} from '../platform/threads/task-pool.ts';
import { resolveThreadModule } from '../platform/threads/thread-modules.ts';
import type { compareTexts, TextComparison } from '../text/changes/compare-texts.ts';
import type { PatchNames, patchLines } from '../text/changes/write-changes.ts';
import type { OpenVersions } from './keep-versions.ts';
import type { PageVersion } from './versions.ts';

type VersionPair = { before: PageVersion; after: PageVersion };
type CompareOptions = Required<Pick<RunOptions, 'signal'>> & Pick<RunOptions, 'tenant'>;

/** The lines in which two versions differ, as hunks of a unified diff. */
export type LinePatch = ReturnType<typeof patchLines>;

/**
 * Compares versions of a page off the event loop. Throws `Failure('not_found')` if the text of one is no longer kept, and
 * `Failure('overloaded')` when too many wait or it takes too long.
 */
export type CompareVersions = {
  /** By block, with the noise told apart, also what has changed at every earlier visit. */
  byBlock(pair: VersionPair, options: CompareOptions): Promise<TextComparison>;
  /** Line by line, as a unified diff. */
  byLine(pair: VersionPair, options: CompareOptions & { names: PatchNames }): Promise<LinePatch>;
};

const COMPARE_TASK: ThreadTask<typeof compareTexts> = {
  module: resolveThreadModule('text/changes/compare-texts'),
  name: 'compareTexts',
  limits: TASK_LIMITS.compare,
};
const PATCH_TASK: ThreadTask<typeof patchLines> = {
  module: resolveThreadModule('text/changes/write-changes'),
  name: 'patchLines',
  limits: TASK_LIMITS.compare,
};

export function createCompareVersions(openVersions: OpenVersions, pool: TaskPool): CompareVersions {
  const readBoth = async ({ before, after }: VersionPair): Promise<[string, string]> => [
    await readKept(before),
    await readKept(after),
  ];
  const readKept = async (version: PageVersion): Promise<string> => {
    const text = await (await openVersions()).readText(version);
    if (text !== null) return text;
    throw new Failure('not_found', `Version ${version.number} of the page is no longer kept.`);
  };
  return {
    async byBlock(pair, { signal, tenant }) {
      const [before, after] = await readBoth(pair);
      const earlier = await (await openVersions()).readEarlierVisits(pair.before);
      return mapOverload(pool.run(COMPARE_TASK, [before, after, earlier], { signal, tenant }));
    },
    async byLine(pair, { signal, tenant, names }) {
      const [before, after] = await readBoth(pair);
      return mapOverload(pool.run(PATCH_TASK, [before, after, names], { signal, tenant }));
    },
  };
}

async function mapOverload<Result>(running: Promise<Result>): Promise<Result> {
  try {
    return await running;
  } catch (error) {
    if (error instanceof TaskFailed)
      throw new Failure('overloaded', 'The versions could not be compared in time.', { cause: error });
    throw error;
  }
}
