import { type MessagePort, parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { StoreUnavailable } from '../../../contract/errors.ts';
import { openSqlite, sqliteFailure } from '../node-sqlite-dialect.ts';
import { openFlushMark } from './flush-mark.ts';
import { createGroupCommit, type Outcome } from './group-commit.ts';
import type { Procedure, ProcedureCall, ProcedureReply } from './procedure.ts';

/** The one writer of the file: takes every call that has come by now, carries all out in one transaction, answers. */
const port = parentPort as MessagePort;
const { path } = workerData as { path: string };
const database = openSqlite(path);
const mark = openFlushMark(path);
const commit = createGroupCommit(database, mark);

/** Calls of one commit: enough to share the flush, few enough that the first does not wait long for the last. */
const GROUP_MAX = 256;

const calls: ProcedureCall[] = [];
const known = new Map<string, Procedure<unknown, unknown>>();
let closing = false;
let busy = false;

port.on('message', (message: ProcedureCall | null) => {
  take(message);
  if (!busy) void work();
});

function take(message: ProcedureCall | null): void {
  if (message === null) closing = true;
  else calls.push(message);
}

async function work(): Promise<void> {
  busy = true;
  for (;;) {
    for (let next = receiveMessageOnPort(port); next !== undefined; next = receiveMessageOnPort(port))
      take(next.message);
    if (calls.length === 0) break;
    const group = calls.splice(0, GROUP_MAX);
    for (const call of group) await learn(call);
    const outcomes = commit(
      group.map((call) => ({
        // Learnt just before.
        procedure: known.get(nameOf(call)) as Procedure<unknown, unknown>,
        args: call.args,
      })),
    );
    for (const [place, outcome] of outcomes.entries())
      port.postMessage(replyOf(group[place]?.id ?? 0, outcome));
  }
  busy = false;
  if (closing) {
    database.close();
    mark.close();
    port.close();
  }
}

function replyOf(id: number, outcome: Outcome): ProcedureReply {
  if ('value' in outcome) return { id, ...outcome };
  const problem = sqliteFailure(outcome.problem);
  if (!(problem instanceof StoreUnavailable)) return { id, problem };
  return { id, unavailable: problem.message, cause: problem.cause };
}

const nameOf = ({ module, name }: ProcedureCall): string => `${module}#${name}`;

async function learn(call: ProcedureCall): Promise<void> {
  if (known.has(nameOf(call))) return;
  const exports: Record<string, Procedure<unknown, unknown>> = await import(call.module);
  const procedure = exports[call.name];
  if (procedure === undefined) throw new Error(`${call.module} exports no procedure ${call.name}`);
  known.set(nameOf(call), procedure);
}
