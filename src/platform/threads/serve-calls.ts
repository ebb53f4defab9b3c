import assert from 'node:assert/strict';
import { getPriority, setPriority } from 'node:os';
import { parentPort, receiveMessageOnPort } from 'node:worker_threads';
import {
  CANCEL,
  CLOSE,
  type ThreadCall,
  type ThreadMessage,
  type ThreadOutcome,
  type ThreadProcedures,
  type ThreadReply,
} from './thread.ts';

/** A thread with this niceness gets about a tenth of a contended core, and all of an idle one. */
const NICENESS = 10;

type GroupServer = {
  /** Maximum calls per group. */
  groupMax: number;
  /** Returns one outcome per call, in order. If it throws, the thread ends and all open calls fail. */
  answer(calls: ThreadCall[]): ThreadOutcome[] | Promise<ThreadOutcome[]>;
  /** Called after the last answer. */
  close?(): void;
};

/** Answers the calls of this thread one at a time, in order. */
export function serveCalls(procedures: ThreadProcedures, { close }: Pick<GroupServer, 'close'> = {}): void {
  serveGroups({
    groupMax: 1,
    answer: (calls) => Promise.all(calls.map((call) => captureOutcome(() => run(procedures, call)))),
    ...(close === undefined ? {} : { close }),
  });
}

/** Answers the calls of this thread in groups, in order: each group has the calls that arrived while the thread was busy. */
export function serveGroups({ groupMax, answer, close }: GroupServer): void {
  assert(parentPort !== null, 'runs in a worker thread');
  const port = parentPort;
  const waiting: ThreadCall[] = [];
  let closing: ThreadCall | null = null;
  let isBusy = false;

  const take = (call: ThreadCall): void => {
    if (call.name === CLOSE) closing = call;
    else if (call.name === CANCEL) drop(call.id);
    else waiting.push(call);
  };
  /** Drops a waiting call; a call that is being answered continues to its end. */
  const drop = (id: number): void => {
    const place = waiting.findIndex((call) => call.id === id);
    if (place === -1) return;
    waiting.splice(place, 1);
    reply([{ id, problem: new Error('the call was taken back') }]);
  };
  const takeAll = (calls: ThreadCall[]): void => {
    for (const call of calls) take(call);
  };
  const takeArrived = (): void => {
    for (let next = receiveMessageOnPort(port); next !== undefined; next = receiveMessageOnPort(port))
      takeAll(next.message);
  };
  const answerWaiting = async (): Promise<void> => {
    isBusy = true;
    for (takeArrived(); waiting.length > 0; takeArrived()) {
      const group = waiting.splice(0, groupMax);
      const outcomes = await answer(group);
      reply(
        group.map(({ id }, place) => {
          const outcome = outcomes[place];
          assert(outcome !== undefined, 'every call has an outcome');
          return { id, ...outcome };
        }),
      );
    }
    isBusy = false;
    if (closing === null) return;
    reply([{ id: closing.id, ...(await captureOutcome(() => close?.())) }]);
    port.close();
  };
  const reply = (replies: ThreadReply[]): void => {
    try {
      port.postMessage(replies satisfies ThreadMessage);
    } catch (error) {
      if (replies.length > 1) for (const one of replies) reply([one]);
      else
        port.postMessage(replies.map((one) => toClonableReply(one, error as Error)) satisfies ThreadMessage);
    }
  };
  port.on('message', (calls: ThreadCall[]) => {
    takeAll(calls);
    if (!isBusy) void answerWaiting();
  });
  port.postMessage('ready' satisfies ThreadMessage);
}

/** Replaces a reply whose result, or a property of whose error, is not plain data. */
function toClonableReply(reply: ThreadReply, error: Error): ThreadReply {
  const { message } = 'problem' in reply ? (reply.problem as Error) : error;
  return { id: reply.id, problem: new Error(message) };
}

function run(
  procedures: ThreadProcedures,
  { name, argument }: ThreadCall,
  signal: AbortSignal = NEVER,
): unknown {
  const procedure = procedures[name];
  assert(procedure !== undefined, `the thread has no procedure ${name}`);
  // thread.ts types the call by the same procedures.
  return procedure(argument as never, signal);
}

/** Signal for procedures that answer one call at a time and cannot be cancelled. */
const NEVER = new AbortController().signal;

/** Runs work and returns its result or error as an outcome. */
export async function captureOutcome(work: () => unknown): Promise<ThreadOutcome> {
  try {
    return { value: await work() };
  } catch (problem) {
    return { problem };
  }
}

/**
 * Answers the calls of this thread concurrently, each as soon as it is done: for calls that mostly wait for others. The signal of a
 * cancelled call fires.
 */
export function serveAtOnce(
  procedures: ThreadProcedures,
  { close }: { close?(): void | Promise<void> } = {},
): void {
  assert(parentPort !== null, 'runs in a worker thread');
  const port = parentPort;
  let open = 0;
  let closing: ThreadCall | null = null;
  const answer = async (call: ThreadCall, outcome: Promise<ThreadOutcome>): Promise<void> => {
    const reply = { id: call.id, ...(await outcome) };
    try {
      port.postMessage([reply] satisfies ThreadMessage);
    } catch (error) {
      port.postMessage([toClonableReply(reply, error as Error)] satisfies ThreadMessage);
    }
  };
  const end = async (call: ThreadCall): Promise<void> => {
    await answer(
      call,
      captureOutcome(() => close?.()),
    );
    port.close();
  };
  const serving = new Map<number, AbortController>();
  const serve = async (call: ThreadCall): Promise<void> => {
    open += 1;
    const ending = new AbortController();
    serving.set(call.id, ending);
    await answer(
      call,
      captureOutcome(() => run(procedures, call, ending.signal)),
    );
    serving.delete(call.id);
    open -= 1;
    if (open === 0 && closing !== null) void end(closing);
  };
  port.on('message', (calls: ThreadCall[]) => {
    for (const call of calls) {
      if (call.name === CLOSE) closing = call;
      else if (call.name === CANCEL) serving.get(call.id)?.abort();
      else void serve(call);
    }
    if (open === 0 && closing !== null) void end(closing);
  });
  port.postMessage('ready' satisfies ThreadMessage);
}

/**
 * Lowers the priority of the calling thread; for threads whose results no caller waits for. Only on Linux, where threads have their own
 * priority: elsewhere it would slow the whole process.
 */
export function lowerPriority(): void {
  if (process.platform !== 'linux') return;
  try {
    setPriority(Math.max(NICENESS, getPriority()));
  } catch {
    // Some containers forbid it; the priority then stays unchanged.
  }
}
