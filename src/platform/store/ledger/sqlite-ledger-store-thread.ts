import { workerData } from 'node:worker_threads';
import { StoreUnavailable } from '../../../contract/errors.ts';
import { collectGarbageOfStart } from '../../collect-garbage.ts';
import { serveGroups } from '../../threads/serve-calls.ts';
import { openSqlite, toSqliteFailure } from '../open-sqlite.ts';
import { createGroupCommit, type Outcome, openFlushMark } from './group-commit.ts';
import type { Procedure, ProcedureCall, ProcedureReply } from './procedure.ts';

/** The calls that the writer thread serves. */
export type LedgerWriterCalls = { run(call: ProcedureCall): ProcedureReply };

// The only writer of the file: runs all calls that have arrived in one transaction.
const { path } = workerData as { path: string };
const database = openSqlite(path);
const mark = openFlushMark(path);
const commit = createGroupCommit(database, mark);

/** Maximum calls per commit: enough to share a flush, but few enough that the first does not wait long for the last. */
const GROUP_MAX = 256;

const known = new Map<string, Procedure<unknown, unknown>>();

serveGroups({
  groupMax: GROUP_MAX,
  async answer(calls) {
    const due = [];
    for (const { argument } of calls) {
      // open-ledger-store.ts types the call.
      const call = argument as ProcedureCall;
      due.push({ procedure: await loadProcedure(call), args: call.args });
    }
    return commit(due).map((outcome) => ({ value: toReply(outcome) }));
  },
  close() {
    database.close();
    mark.close();
  },
});
collectGarbageOfStart();

async function loadProcedure({ module, name }: ProcedureCall): Promise<Procedure<unknown, unknown>> {
  const key = `${module}#${name}`;
  const loaded = known.get(key);
  if (loaded !== undefined) return loaded;
  const exports: Record<string, Procedure<unknown, unknown>> = await import(module);
  const procedure = exports[name];
  if (procedure === undefined) throw new Error(`${module} exports no procedure ${name}`);
  known.set(key, procedure);
  return procedure;
}

function toReply(outcome: Outcome): ProcedureReply {
  if ('value' in outcome) return outcome;
  const problem = toSqliteFailure(outcome.problem);
  if (!(problem instanceof StoreUnavailable)) return { problem };
  return { unavailable: problem.message, cause: problem.cause };
}
