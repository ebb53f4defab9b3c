import type { Clock } from '../../platform/clock.ts';
import type { Tenant } from '../../platform/sharing/fair-queue.ts';
import { TASK_LIMITS } from '../../platform/threads/pool-limits.ts';
import { TaskFailed, type TaskPool, TaskTimedOut, type ThreadTask } from '../../platform/threads/task-pool.ts';
import { resolveThreadModule } from '../../platform/threads/thread-modules.ts';
import type { ExtractResult } from '../extract-task.ts';
import { computeLastDay } from '../last-day.ts';
import type { readAlternate } from './way-task.ts';
import type { AlternateTask } from './way-types.ts';

/**
 * Reads the answers of an alternate in a thread; the bytes are transferred. Answers that cannot be read, or take too long, give no
 * article.
 */
export type ReadAlternate = (
  task: AlternateTask,
  signal: AbortSignal,
  tenant: Tenant,
) => Promise<ExtractResult>;

/** Loaded by a thread with its first answer. */
const ALTERNATE_TASK: ThreadTask<typeof readAlternate> = {
  module: resolveThreadModule('pages/ways/way-task'),
  name: 'readAlternate',
  limits: TASK_LIMITS.extract,
};

/** See `ReadAlternate`. */
export function createReadAlternate(pool: TaskPool, clock: Clock): ReadAlternate {
  return async (task, signal, tenant) => {
    const transfer = task.answers.map(({ bytes }) => bytes.buffer);
    try {
      return await pool.run(ALTERNATE_TASK, [task, computeLastDay(clock.now())], {
        transfer,
        signal,
        tenant,
      });
    } catch (error) {
      if (error instanceof TaskTimedOut || error instanceof TaskFailed)
        return { ok: false, reason: 'undecodable', message: 'the answer could not be read' };
      throw error;
    }
  };
}
