/**
 * A worker thread with typed procedures: starts on demand, restarts after a crash, bounds its memory and its open calls, and cancels calls
 * by signal. The code inside the thread answers with serve-calls.ts; pools of threads are in task-pool.ts.
 */
import { closeSync, openSync } from 'node:fs';
import { Worker, type WorkerOptions } from 'node:worker_threads';

/** The procedures of a thread by name; arguments and results are plain data. */
export type ThreadProcedures = Record<string, (argument: never, signal: AbortSignal) => unknown>;

/** A call as it reaches the thread. */
export type ThreadCall = { id: number; name: string; argument: unknown };
/** Message of the thread; 'ready' comes first, once its module has loaded. Calls and replies are sent in batches. */
export type ThreadMessage = 'ready' | ThreadReply[];
export type ThreadReply = { id: number } & ThreadOutcome;
export type ThreadOutcome = { value: unknown } | { problem: unknown };

/** Names of the call that ends a thread, and of the message that cancels a call. */
export const CLOSE = 'close';
export const CANCEL = 'cancel';

/** `signal`: when it fires, the caller stops waiting and the thread is told; a call that has not begun never begins. */
type CallOptions = { transfer?: ArrayBuffer[]; signal?: AbortSignal | undefined };

type ThreadOptions = {
  /** `workerData` of the thread. */
  data?: unknown;
  /** Maximum open calls; default 10,000. */
  callsMax?: number;
  /** Maximum heap of the thread, which ends if it needs more. Default `HEAP_MEGABYTES_MAX`. */
  heapMegabytesMax?: number;
  /** Called when the thread ends unexpectedly, with the number of calls that fail. */
  onLost?(cause: unknown, calls: number): void;
};

/** A worker thread that answers named calls. It starts with its first call, and again with the first call after it ended. */
export type Thread<Procedures extends ThreadProcedures> = {
  /** Rejects with the procedure's error, the signal's reason, ThreadEnded, ThreadNotStarted, ThreadOverloaded or ThreadClosed. */
  call<Name extends keyof Procedures & string>(
    name: Name,
    argument: Parameters<Procedures[Name]>[0],
    options?: CallOptions,
  ): Promise<Awaited<ReturnType<Procedures[Name]>>>;
  /** Resolves when the thread runs and has loaded its module. Rejects with ThreadNotStarted. */
  start(): Promise<void>;
  isRunning(): boolean;
  /** Number of calls without a reply yet. */
  open(): number;
  /** CPU milliseconds of the thread since its start; 0 when it does not run. */
  cpuMs(): Promise<number>;
  /** Ends the thread at once: its open calls fail, the next one starts it again. */
  end(): Promise<void>;
  /** Ends the thread permanently, once it has answered all calls made so far. */
  close(): Promise<void>;
};

/** A call was not answered because its thread is gone. */
export class ThreadEnded extends Error {}
/** The thread ended before it was ready, because of missing descriptors or memory, or a fault of its module. */
export class ThreadNotStarted extends ThreadEnded {}
/** `callsMax` calls are open. */
export class ThreadOverloaded extends Error {}
export class ThreadClosed extends Error {}

const CALLS_MAX = 10_000;
/** Maximum young generation. V8 would let it grow to 134 MB and keep it; beyond this size there is no measurable gain. */
const YOUNG_MEGABYTES_MAX = 24;

/**
 * Default maximum heap. V8 lets a heap grow to four times its live objects before it collects garbage, but only to twice if the heap limit
 * is at most 2 GB.
 */
const HEAP_MEGABYTES_MAX = 1_536;

/** Creates a thread. `file`: a module that calls `serveCalls`, `serveGroups` or `serveAtOnce`. */
export function createThread<Procedures extends ThreadProcedures>(
  file: URL,
  options: ThreadOptions = {},
): Thread<Procedures> {
  const { callsMax = CALLS_MAX, onLost } = options;
  const calls = createOpenCalls();
  let running: RunningWorker | null = null;
  let isClosed = false;

  const lose = (lost: RunningWorker, cause: unknown): void => {
    if (running !== lost) return;
    running = null;
    if (!isClosed) onLost?.(cause, calls.size());
    failAll(lost, calls, cause);
  };
  const start = (): RunningWorker => {
    running ??= startWorker(file, options, { calls, lose });
    return running;
  };
  const send = (name: string, argument: unknown, callOptions?: CallOptions): Promise<unknown> =>
    sendCall(start().outbox, calls, { name, argument, ...callOptions });
  return {
    async call(name, argument, callOptions) {
      callOptions?.signal?.throwIfAborted();
      if (isClosed) throw new ThreadClosed('the thread is closed');
      if (calls.size() >= callsMax) throw new ThreadOverloaded(`${calls.size()} calls wait for the thread`);
      // The thread answers with what the procedure of that name returns.
      return (await send(name, argument, callOptions)) as never;
    },
    start: async () => start().ready.promise,
    isRunning: () => running !== null,
    open: calls.size,
    cpuMs: () => measureCpuMs(running?.worker),
    async end() {
      if (running === null) return;
      const ended = running;
      running = null;
      failAll(ended, calls, new Error('it was ended'));
      await ended.worker.terminate();
    },
    async close() {
      isClosed = true;
      if (running === null) return;
      const { worker } = running;
      try {
        await send(CLOSE, null);
      } catch (error) {
        // The thread has died, so there is nothing left to close.
        if (!(error instanceof ThreadEnded)) throw error;
      } finally {
        running = null;
        await worker.terminate();
      }
    },
  };
}

type OutgoingCall = { name: string; argument: unknown } & CallOptions;

function sendCall(
  outbox: Outbox,
  calls: OpenCalls,
  { name, argument, transfer = [], signal }: OutgoingCall,
): Promise<unknown> {
  let sent = 0;
  const reply = calls.add((id) => {
    sent = id;
    outbox.add({ call: { id, name, argument }, transfer });
  });
  if (signal === undefined) return reply;
  const cancel = (): void => outbox.add({ call: { id: sent, name: CANCEL, argument: null }, transfer: [] });
  return awaitUnlessAborted(reply, signal, cancel);
}

/** Rejects when the signal fires; the call stays open until the thread has replied, so that the thread counts as busy. */
function awaitUnlessAborted(
  reply: Promise<unknown>,
  signal: AbortSignal,
  cancel: () => void,
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const give = (): void => {
      cancel();
      reject(signal.reason);
    };
    signal.addEventListener('abort', give, { once: true });
    reply.then(resolve, reject).finally(() => signal.removeEventListener('abort', give));
  });
}

/** One incarnation of a thread. */
type RunningWorker = { worker: Worker; outbox: Outbox; isReady: boolean; ready: PromiseWithResolvers<void> };

type WorkerEvents = { calls: OpenCalls; lose(lost: RunningWorker, cause: unknown): void };

function startWorker(
  file: URL,
  { data, heapMegabytesMax = HEAP_MEGABYTES_MAX }: ThreadOptions,
  { calls, lose }: WorkerEvents,
): RunningWorker {
  const worker = spawnWorker(file, {
    workerData: data,
    resourceLimits: {
      maxYoungGenerationSizeMb: YOUNG_MEGABYTES_MAX,
      maxOldGenerationSizeMb: heapMegabytesMax,
    },
  });
  const outbox = createOutbox(worker, calls);
  const running: RunningWorker = { worker, outbox, isReady: false, ready: Promise.withResolvers() };
  // Only callers of `start` handle its rejection.
  running.ready.promise.catch(() => {});
  worker.on('message', (message: ThreadMessage) => {
    if (message === 'ready') {
      running.isReady = true;
      running.ready.resolve();
    } else for (const reply of message) calls.settle(reply);
    releaseIfIdle(worker, calls);
  });
  worker.on('error', (error) => lose(running, error));
  worker.on('exit', (code) => lose(running, new Error(`it exited with code ${code}`)));
  return running;
}

function spawnWorker(file: URL, options: WorkerOptions): Worker {
  try {
    return new Worker(file, options);
  } catch (cause) {
    throw new ThreadNotStarted('the thread could not be started', { cause });
  }
}

function failAll({ isReady, ready }: RunningWorker, calls: OpenCalls, cause: unknown): void {
  const error = isReady
    ? new ThreadEnded('the thread ended', { cause })
    : new ThreadNotStarted('the thread did not start', { cause });
  ready.reject(error);
  calls.rejectAll(error);
}

type QueuedCall = { call: ThreadCall; transfer: ArrayBuffer[] };
type Outbox = { add(sent: QueuedCall): void };

/** Sends all calls of one turn of the event loop in one message. */
function createOutbox(worker: Worker, calls: OpenCalls): Outbox {
  let waiting: QueuedCall[] = [];
  const post = (batch: QueuedCall[]): void => {
    try {
      worker.postMessage(
        batch.map(({ call }) => call),
        batch.flatMap(({ transfer }) => transfer),
      );
    } catch (problem) {
      // An argument is not plain data: nothing was sent, and only its call fails.
      if (batch.length > 1) for (const sent of batch) post([sent]);
      else for (const { call } of batch) calls.settle({ id: call.id, problem });
    }
  };
  return {
    add(sent) {
      waiting.push(sent);
      if (waiting.length > 1) return;
      worker.ref();
      setImmediate(() => {
        const batch = waiting;
        waiting = [];
        post(batch);
        releaseIfIdle(worker, calls);
      });
    },
  };
}

/** Lets the process exit while the thread is idle. */
function releaseIfIdle(worker: Worker, calls: OpenCalls): void {
  if (calls.size() === 0) worker.unref();
}

type OpenCalls = {
  size(): number;
  /** Sends a call under a new id and adds it; resolves or rejects with its outcome. */
  add(send: (id: number) => void): Promise<unknown>;
  /** Settles a call; drops a reply to a call that is no longer open, from a thread that was ended. */
  settle(reply: ThreadReply): void;
  rejectAll(error: Error): void;
};

function createOpenCalls(): OpenCalls {
  const open = new Map<number, { resolve(value: unknown): void; reject(reason: unknown): void }>();
  let lastId = 0;
  return {
    size: () => open.size,
    add(send) {
      lastId += 1;
      send(lastId);
      return new Promise((resolve, reject) => open.set(lastId, { resolve, reject }));
    },
    settle(reply) {
      const call = open.get(reply.id);
      open.delete(reply.id);
      if ('value' in reply) call?.resolve(reply.value);
      else call?.reject(reply.problem);
    },
    rejectAll(error) {
      const calls = [...open.values()];
      open.clear();
      for (const { reject } of calls) reject(error);
    },
  };
}

async function measureCpuMs(worker: Worker | undefined): Promise<number> {
  try {
    const { user, system } = (await worker?.cpuUsage()) ?? { user: 0, system: 0 };
    return (user + system) / 1_000;
  } catch {
    // The thread ended during the request.
    return 0;
  }
}

const CODES =
  /^ERR_(?:MODULE_NOT_FOUND|PACKAGE_PATH_NOT_EXPORTED|UNKNOWN_FILE_EXTENSION|INVALID_PACKAGE_\w+)$/;

/**
 * Returns true if a module cannot be loaded however often it is tried: a file or package is missing, or not JavaScript. Without a free
 * descriptor Node reports a package as missing too, so this asks for one.
 */
export function isFaultOfModule(error: unknown): boolean {
  const { code = '' } = (error ?? {}) as NodeJS.ErrnoException;
  return (error instanceof SyntaxError || CODES.test(code)) && canOpenFiles();
}

function canOpenFiles(): boolean {
  try {
    closeSync(openSync(process.execPath, 'r'));
    return true;
  } catch {
    return false;
  }
}
