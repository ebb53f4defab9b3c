import { createFetchFailure, Failure } from '../contract/errors.ts';
import type { Clock } from '../platform/clock.ts';
import { toUtcDay } from '../platform/clock.ts';
import type { Tenant } from '../platform/fairness/fair-queue.ts';
import { TASK_LIMITS } from '../platform/threads/pool-limits.ts';
import {
  TaskFailed,
  type TaskPool,
  TaskStarved,
  TaskTimedOut,
  type ThreadTask,
} from '../platform/threads/task-pool.ts';
import { resolveThreadModule } from '../platform/threads/thread-modules.ts';
import type { extractDocument } from './document-task.ts';
import { findOperatorRule, type OperatorRules } from './extract/content/rules/operator-rules.ts';
import type { ExtractResult, ExtractTask, extractPage } from './extract-task.ts';
import { type DocumentFormat, detectFormat, isDocument, type TextFormat } from './formats/detect-format.ts';
import { toExtractFailure } from './unreadable.ts';

/** The earliest time zone is this far ahead of UTC. */
const AHEAD_MS = 14 * 3_600_000;

export type ExtractWorker = {
  /**
   * Extracts the article in a worker thread; the bytes are transferred, not copied. Throws `Failure('overloaded')` when too many
   * pages wait or the machine gives a page too little CPU time for 10 s, `fetch_failed` 'undecodable' for a page that takes PAGE_CPU_MS
   * (a document DOCUMENT_CPU_MS) of CPU time or crashes its thread, and `fetch_failed` 'aborted' when `signal` aborts.
   */
  extract(task: ExtractTask, signal: AbortSignal, tenant?: Tenant): Promise<ExtractResult>;
};

export const EXTRACT_TASK: ThreadTask<typeof extractPage> = {
  module: resolveThreadModule('pages/extract-task'),
  name: 'extractPage',
  limits: TASK_LIMITS.extract,
};

/** Loaded by a thread with its first document. */
const DOCUMENT_TASK: ThreadTask<typeof extractDocument> = {
  module: resolveThreadModule('pages/document-task'),
  name: 'extractDocument',
  limits: TASK_LIMITS.document,
};

/** The clock gives the current day: later days are never accepted as dates of a page. `rules`: the operator's, by site. */
export function createExtractWorker(
  pool: TaskPool,
  clock: Clock,
  rules: OperatorRules = new Map(),
): ExtractWorker {
  return {
    async extract(task, signal, tenant) {
      const options = { transfer: [task.bytes.buffer], signal, tenant };
      let format: TextFormat | DocumentFormat;
      try {
        format = detectFormat(task.bytes, task.contentType, task.url);
      } catch (error) {
        return toExtractFailure(error);
      }
      const lastDay = computeLastDay(clock.now());
      const rule = findOperatorRule(rules, task.url);
      try {
        return isDocument(format)
          ? await pool.run(DOCUMENT_TASK, [task, format, lastDay], options)
          : await pool.run(
              EXTRACT_TASK,
              [rule === null ? task : { ...task, rule }, format, lastDay],
              options,
            );
      } catch (error) {
        if (signal.aborted)
          throw createFetchFailure('aborted', 'the page is no longer wanted', { cause: error });
        if (error instanceof TaskStarved)
          throw new Failure('overloaded', 'The machine is too busy to read pages; try again in a moment.', {
            cause: error,
          });
        if (error instanceof TaskTimedOut)
          throw createFetchFailure('undecodable', 'reading the page takes too much CPU time', {
            cause: error,
          });
        if (error instanceof TaskFailed)
          throw createFetchFailure('undecodable', 'the page could not be read', { cause: error });
        throw error;
      }
    },
  };
}

/** Returns the latest day (YYYY-MM-DD) anywhere on Earth at an instant; no page can be dated later. */
export function computeLastDay(instant: number): string {
  return toUtcDay(instant + AHEAD_MS);
}
