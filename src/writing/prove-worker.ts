import { Failure } from '../contract/errors.ts';
import type { Tenant } from '../platform/fairness/fair-queue.ts';
import { TASK_LIMITS } from '../platform/threads/pool-limits.ts';
import { TaskFailed, type TaskPool, type ThreadTask } from '../platform/threads/task-pool.ts';
import { resolveThreadModule } from '../platform/threads/thread-modules.ts';
import type { FieldSupport, ProvedField, proveFields, WrittenField } from '../text/proof/prove-fields.ts';
import type {
  ProvedStatement,
  proveStatements,
  SourcePassage,
  WrittenStatement,
} from '../text/proof/prove-statements.ts';

type ProveOptions = { signal: AbortSignal; tenant?: Tenant | undefined };

/** Checks what a model wrote, off the event loop. Throws `Failure('overloaded')` when too many wait or it takes too long. */
export type ProveWorker = {
  statements(
    written: readonly WrittenStatement[],
    passages: readonly SourcePassage[],
    options: ProveOptions,
  ): Promise<ProvedStatement[]>;
  fields(
    written: { fields: readonly WrittenField[]; support: readonly FieldSupport[] },
    passages: readonly SourcePassage[],
    options: ProveOptions,
  ): Promise<ProvedField[]>;
};

const STATEMENTS_TASK: ThreadTask<typeof proveStatements> = {
  module: resolveThreadModule('text/proof/prove-statements'),
  name: 'proveStatements',
  limits: TASK_LIMITS.prove,
};
const FIELDS_TASK: ThreadTask<typeof proveFields> = {
  module: resolveThreadModule('text/proof/prove-fields'),
  name: 'proveFields',
  limits: TASK_LIMITS.prove,
};

export function createProveWorker(pool: Pick<TaskPool, 'run'>): ProveWorker {
  return {
    statements: (written, passages, { signal, tenant }) =>
      pool.run(STATEMENTS_TASK, [written, passages], { signal, tenant }).catch(toOverload),
    fields: ({ fields, support }, passages, { signal, tenant }) =>
      pool.run(FIELDS_TASK, [fields, support, passages], { signal, tenant }).catch(toOverload),
  };
}

function toOverload(error: unknown): never {
  if (error instanceof TaskFailed)
    throw new Failure('overloaded', 'The written text could not be checked in time.', { cause: error });
  throw error;
}
