import { LRUCache } from 'lru-cache';
import { Failure } from '../../contract/errors.ts';
import { KEPT_MS } from '../../contract/limits.ts';
import type { Forgettings } from '../../index/upkeep/forget.ts';
import { createRequestId } from '../../platform/ids.ts';
import type { Log } from '../../platform/log.ts';
import type { SealedValues } from '../../platform/store/shared/sealed-values.ts';
import { createSharedValues, type SharedStore } from '../../platform/store/shared/shared-values.ts';
import { type Answer, HungUp, isHangUp, type Route } from '../calls/call.ts';
import { identifyCaller, identifySender, NO_STORE_HEADER } from '../calls/caller.ts';
import type { SetRemaining } from '../calls/charged-call.ts';
import { isFromThisMachine } from '../calls/operator.ts';
import { type Arrival, type RunRouteDeps, runRoute } from '../calls/run-route.ts';
import { callTool, KEPT_CHARS_MAX, readWholePage, type ToolAnswer, type ToolDeps } from './call-tool.ts';
import type { RequestId } from './message.ts';
import type { RouteCall, Tool } from './tool.ts';
import { describeFailureForAgent } from './tool-failure.ts';

const CANCELLED = 'calls-cancelled';

export type ToolCallsDeps = RunRouteDeps & {
  routes: readonly Route[];
  log: Log;
  forgettings: Forgettings;
  baseUrl(): string;
  signTopUp(keyId: string): string;
  /** Answers kept by other processes; absent or null if there is only this process. */
  sharedTools?: SharedTools | null;
};

/** The credits left after a call; null if it charged nobody. */
export type RemainingCredits = { creditsLeft: number | null };

/** The caller of a tool. */
export type ToolCaller = Pick<Arrival, 'headers' | 'address' | 'hungUp' | 'hasBegun' | 'assignLoad'> & {
  /** Reports progress in a few words. */
  report(progress: string): void;
};

/** Runs tool calls as calls of their routes, with the same validation, charges, deadlines and failures. */
export type ToolCalls = {
  call(tool: Tool, given: unknown, caller: ToolCaller): Promise<ToolAnswer & RemainingCredits>;
  /** Reads a whole page; the target is `/r/{url}`. */
  read(target: string, caller: ToolCaller): Promise<ToolAnswer & RemainingCredits>;
  /** The time limit of a tool's route, in milliseconds. */
  limitMs(tool: Tool): number;
};

export function createToolCalls(deps: ToolCallsDeps): ToolCalls {
  let kept = createAnswerCache();
  // The cache is replaced, not cleared: a call that read a page before it was forgotten writes its answer to the old cache.
  deps.forgettings.onForgotten(() => {
    kept = createAnswerCache();
  });
  async function answerCaller(
    caller: ToolCaller,
    work: (deps: ToolDeps) => Promise<ToolAnswer>,
  ): Promise<ToolAnswer & RemainingCredits> {
    await deps.forgettings.notice();
    const requestId = createRequestId();
    let creditsLeft: number | null = null;
    const setRemaining: SetRemaining = (credits) => {
      creditsLeft = credits;
    };
    const answer = await work({
      kept: createKeptAnswers(kept, { caller, deps }),
      isMetered: deps.terms !== null,
      run: (call) => runCall(call, { requestId, caller, setRemaining, deps }),
      word(failure) {
        if (failure.code === 'internal')
          deps.log.error({ requestId, err: failure.cause }, 'tool call failed');
        const topUp = failure.keyId === null ? null : deps.signTopUp(failure.keyId);
        return describeFailureForAgent(failure, {
          requestId,
          baseUrl: deps.baseUrl(),
          topUp,
          terms: deps.terms,
          isOnThisMachine: isFromThisMachine(caller),
        });
      },
    });
    return { ...answer, creditsLeft };
  }
  return {
    call: (tool, given, caller) => answerCaller(caller, (toolDeps) => callTool(tool, given, toolDeps)),
    read: (target, caller) => answerCaller(caller, (toolDeps) => readWholePage(target, toolDeps)),
    limitMs: (tool) => findRoute(tool.call({}), deps.routes)?.limit.ms ?? 0,
  };
}

/** Creates the store of one caller's cut answers. A cursor is of no use to another caller, nor to a key that has ended meanwhile. */
function createKeptAnswers(
  kept: LRUCache<string, string>,
  { caller, deps }: { caller: ToolCaller; deps: ToolCallsDeps },
): ToolDeps['kept'] {
  const { headers, address } = caller;
  const { sharedTools: shared } = deps;
  const name = identifySender({ headers, address });
  const buildKey = (digest: string): string => `${name} ${digest}`;
  return {
    async get(digest) {
      await identifyCaller({ headers, body: {}, address }, deps);
      return kept.get(buildKey(digest)) ?? (await shared?.get(buildKey(digest))) ?? undefined;
    },
    set(digest, text) {
      // Every part of an answer is cut from the same text, so it is shared only once.
      if (!kept.has(buildKey(digest))) shared?.set(buildKey(digest), text);
      kept.set(buildKey(digest), text);
    },
  };
}

/** Creates the cache of cut answers, keyed by caller and digest. */
function createAnswerCache(): LRUCache<string, string> {
  return new LRUCache({
    maxSize: KEPT_CHARS_MAX,
    sizeCalculation: (text) => text.length,
    ttl: KEPT_MS,
  });
}

function findRoute({ method, path }: RouteCall, routes: readonly Route[]): Route | undefined {
  return routes.find((route) => route.method === method && route.paths.includes(path));
}

async function runCall(
  call: RouteCall,
  {
    requestId,
    caller,
    setRemaining,
    deps,
  }: {
    requestId: string;
    caller: ToolCaller;
    setRemaining: SetRemaining;
    deps: ToolCallsDeps;
  },
): Promise<Answer> {
  const route = findRoute(call, deps.routes);
  if (route === undefined) throw new Failure('not_found', 'This server does not offer the tool.');
  const target = call.target ?? call.path;
  const answering = runRoute(
    route,
    {
      requestId,
      target,
      params: {},
      query: new URLSearchParams(target.split('?').slice(1).join('?')),
      headers: {
        ...caller.headers,
        ...call.headers,
        // The client's `Accept` concerns the protocol, not the route behind the tool.
        accept: '*/*',
        ...(call.noStore ? { [NO_STORE_HEADER.toLowerCase()]: '1' } : {}),
      },
      bytes: new TextEncoder().encode(JSON.stringify(call.body ?? {})),
      address: caller.address,
      hungUp: caller.hungUp,
      hasBegun: caller.hasBegun,
      assignLoad: caller.assignLoad,
      report: caller.report,
      setRemaining,
    },
    deps,
  );
  return answering.catch((error: unknown) => {
    throw isHangUp(error, caller.hungUp) ? new HungUp() : error;
  });
}

/** Requests of a tool client that another process than the answering one may get: the rest of an answer, and cancelling a call. */
export type SharedTools = {
  /** Finds a cut answer. `name` includes the caller, so that a cursor is of no use to others. */
  get(name: string): Promise<string | null>;
  set(name: string, text: string): void;
  /** Ends a call in whichever process runs it. */
  cancel(session: string, id: RequestId): void;
  onCancelled(cancel: (session: string, id: RequestId) => void): void;
  /** Removes all kept answers. */
  removeAll(): Promise<void>;
};

export function createSharedTools(store: SharedStore, sealed: SealedValues): SharedTools {
  const rests = createSharedValues(store, sealed, 'rest');
  return {
    async get(name) {
      const text = await rests.get(name);
      return typeof text === 'string' ? text : null;
    },
    set: (name, text) => void rests.put(name, text, { ttlMs: KEPT_MS }),
    cancel(session, id) {
      const message = sealed.seal(CANCELLED, [session, id]);
      if (message !== null) store.publish(CANCELLED, message.toString('base64'));
    },
    onCancelled(cancel) {
      store.listen(CANCELLED, (message) => {
        const call = sealed.open(CANCELLED, Buffer.from(message, 'base64'));
        if (!Array.isArray(call)) return;
        const [session, id] = call;
        if (typeof session === 'string' && (typeof id === 'string' || typeof id === 'number'))
          cancel(session, id);
      });
    },
    removeAll: rests.removeAll,
  };
}
