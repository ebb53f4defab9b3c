import type { Clock } from '../../platform/clock.ts';
import type { Tenant } from '../../platform/sharing/fair-queue.ts';
import { TASK_LIMITS } from '../../platform/threads/pool-limits.ts';
import {
  TaskFailed,
  type TaskPool,
  TaskTimedOut,
  type ThreadTask,
} from '../../platform/threads/task-pool.ts';
import { resolveThreadModule } from '../../platform/threads/thread-modules.ts';
import type { Extracted } from '../extract-task.ts';
import { lastDayAt } from '../last-day.ts';
import type { wayTask } from './way-task.ts';
import type { WayTask } from './way-types.ts';

/** Reads the answers of a way in a thread; the bytes are transferred. What cannot be read, or takes too long, has no article. */
export type ReadWay = (task: WayTask, signal: AbortSignal, tenant: Tenant) => Promise<Extracted>;

/** Loaded by a thread with its first answer. */
const WAY_TASK: ThreadTask<typeof wayTask> = {
  module: resolveThreadModule('pages/ways/way-task'),
  name: 'wayTask',
  limits: TASK_LIMITS.extract,
};

/** See `ReadWay`. */
export function createReadWay(pool: TaskPool, clock: Clock): ReadWay {
  return async (task, signal, tenant) => {
    const transfer = task.answers.map(({ bytes }) => bytes.buffer);
    try {
      return await pool.run(WAY_TASK, [task, lastDayAt(clock.now())], { transfer, signal, tenant });
    } catch (error) {
      if (error instanceof TaskTimedOut || error instanceof TaskFailed)
        return { ok: false, reason: 'undecodable', message: 'the answer could not be read' };
      throw error;
    }
  };
}
