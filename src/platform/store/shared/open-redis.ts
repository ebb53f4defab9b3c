import { createHash } from 'node:crypto';
import type * as Redis from '@redis/client';
import type { Clock } from '../../clock.ts';
import type { Log } from '../../log.ts';
import { CALL_MS_MAX, type Reply, type SharedScript, type SharedStore } from './shared-values.ts';

/** Maximum calls in progress, and commands that the client queues for a slow server. */
const CALLS_AT_ONCE_MAX = 512;
const COMMANDS_QUEUED_MAX = 1_000;
const CONNECT_MS = 2_000;
/** Time for which the start waits for the first connection; later attempts happen while the service runs. */
const FIRST_CONNECT_MS = 500;
const RECONNECT_MS_FIRST = 50;
const RECONNECT_MS_MAX = 2_000;
/** Interval of pings, and time without any reply after which a connection is given up. */
const PING_EVERY_MS = 1_000;
const SILENT_MS_MAX = 3_000;
/** Prefix of all keys and channels, so that a server can be shared with other programs. */
const PREFIX = 'sanderling:';

/**
 * Opens a Redis or Valkey server. Resolves whether or not it answers; while it does not, calls resolve to null. The client is imported on
 * demand, so that a service without such a server does not load it.
 */
export async function openRedis(
  url: string,
  {
    clock,
    log,
    callMs = CALL_MS_MAX,
    firstConnectMs = FIRST_CONNECT_MS,
  }: { clock: Clock; log: Pick<Log, 'info' | 'warn'>; callMs?: number; firstConnectMs?: number },
): Promise<SharedStore> {
  const redis = await import('@redis/client');
  const client = createRedisClient(redis, url);
  watchConnection(client, log);
  await awaitFirstConnection(client, firstConnectMs);
  const gate = createCallGate(clock, { callMs, atOnceMax: CALLS_AT_ONCE_MAX });
  const binary = client.withTypeMapping({ [redis.RESP_TYPES.BLOB_STRING]: Buffer });
  const evaluate = createEvaluate(binary);
  return {
    run: (script, keys, args = [], signal) =>
      gate.pass(
        async (): Promise<Reply> => ({
          value: (await evaluate(script, keys.map(addPrefix), args.map(toArgument))) ?? undefined,
        }),
        signal,
      ),
    publish(channel, message) {
      void gate.pass(() => client.publish(addPrefix(channel), message));
    },
    listen(channel, listener) {
      // Waits for the first connection; the client subscribes again on each later one.
      void awaitReady(client)
        .then(() => client.subscribe(addPrefix(channel), listener))
        .catch((err: unknown) => log.warn({ err, channel }, 'messages of other processes do not arrive'));
    },
    isUp: () => client.isReady && gate.isOpen(),
    async close() {
      if (client.isOpen) client.destroy();
    },
  };
}

type RedisClient = ReturnType<typeof createRedisClient>;

function createRedisClient(redis: typeof Redis, url: string) {
  return redis.createClient({
    url,
    name: 'sanderling',
    disableOfflineQueue: true,
    commandsQueueMaxLength: COMMANDS_QUEUED_MAX,
    pingInterval: PING_EVERY_MS,
    maintNotifications: 'disabled',
    socket: {
      connectTimeout: CONNECT_MS,
      socketTimeout: SILENT_MS_MAX,
      reconnectStrategy: (retries) =>
        Math.min(RECONNECT_MS_MAX, RECONNECT_MS_FIRST * 2 ** Math.min(retries, 10)),
    },
  });
}

const addPrefix = (name: string): string => PREFIX + name;

function toArgument(argument: string | number | Uint8Array): string | Buffer {
  return argument instanceof Uint8Array
    ? Buffer.from(argument.buffer, argument.byteOffset, argument.byteLength)
    : String(argument);
}

type ScriptClient = {
  evalSha(sha: string, options: { keys: string[]; arguments: (string | Buffer)[] }): Promise<unknown>;
  eval(lua: string, options: { keys: string[]; arguments: (string | Buffer)[] }): Promise<unknown>;
};

/** Runs scripts by digest; sends the script itself if the server does not know the digest. */
function createEvaluate(client: ScriptClient) {
  const digests = new Map<SharedScript, string>();
  const computeDigest = (script: SharedScript): string => {
    const known = digests.get(script) ?? createHash('sha1').update(script.lua).digest('hex');
    digests.set(script, known);
    return known;
  };
  return async (script: SharedScript, keys: string[], args: (string | Buffer)[]): Promise<unknown> => {
    const options = { keys, arguments: args };
    try {
      return await client.evalSha(computeDigest(script), options);
    } catch (error) {
      if (!(error as Error).message.startsWith('NOSCRIPT')) throw error;
      return client.eval(script.lua, options);
    }
  };
}

/** Logs when the connection is lost and when it is back, not each attempt in between. */
function watchConnection(client: RedisClient, log: Pick<Log, 'info' | 'warn'>): void {
  let isUp: boolean | null = null;
  client.on('error', (err: Error) => {
    if (isUp !== false)
      log.warn({ err: err.message }, 'the shared cache cannot be reached; the service goes on without it');
    isUp = false;
  });
  client.on('ready', () => {
    if (isUp !== true) log.info('the shared cache is reached');
    isUp = true;
  });
}

/** Connects and waits a short time; afterwards the client keeps trying by itself. */
async function awaitFirstConnection(client: RedisClient, ms: number): Promise<void> {
  const connecting = client.connect().catch(() => {});
  const late = AbortSignal.timeout(ms);
  const tooLate = new Promise((resolve) => late.addEventListener('abort', resolve, { once: true }));
  await Promise.race([connecting, tooLate]);
}

async function awaitReady(client: RedisClient): Promise<void> {
  if (client.isReady) return;
  return new Promise((resolve) => client.once('ready', () => resolve()));
}

/**
 * A circuit breaker for a store that does not answer: after a few consecutive failures it blocks all calls for a while, then lets one
 * through as a probe. It also bounds concurrent calls, so that none queue up for a store that stalls.
 */
type CallGate = {
  isOpen(): boolean;
  /** Runs a call; resolves to null if it is blocked, fails, takes longer than `callMs`, or the signal fires. */
  pass<Result>(call: () => Promise<Result>, signal?: AbortSignal): Promise<Result | null>;
};

type GateBounds = { callMs: number; atOnceMax: number };

const FAILURES_MAX = 3;
const CLOSED_MS_FIRST = 250;
const CLOSED_MS_MAX = 5_000;

export function createCallGate(clock: Clock, { callMs, atOnceMax }: GateBounds): CallGate {
  let atOnce = 0;
  let failures = 0;
  let closedMs = CLOSED_MS_FIRST;
  let closedUntil = Number.NEGATIVE_INFINITY;
  let isProbing = false;

  const recordOutcome = (isAnswered: boolean): void => {
    if (isAnswered) {
      failures = 0;
      closedMs = CLOSED_MS_FIRST;
      return;
    }
    failures += 1;
    if (failures < FAILURES_MAX) return;
    closedUntil = clock.now() + closedMs;
    closedMs = Math.min(CLOSED_MS_MAX, closedMs * 2);
  };
  return {
    isOpen: () => failures < FAILURES_MAX,
    async pass(call, signal) {
      if (signal?.aborted) return null;
      const isProbe = failures >= FAILURES_MAX;
      if (atOnce >= atOnceMax || (isProbe && (isProbing || clock.now() < closedUntil))) return null;
      atOnce += 1;
      isProbing ||= isProbe;
      try {
        const result = await waitAtMost(callMs, call(), signal);
        recordOutcome(true);
        return result;
      } catch {
        // On any error the caller does without the store; a call that the caller aborted says nothing about the store.
        if (!signal?.aborted) recordOutcome(false);
        return null;
      } finally {
        atOnce -= 1;
        if (isProbe) isProbing = false;
      }
    },
  };
}

function waitAtMost<Result>(
  ms: number,
  work: Promise<Result>,
  signal: AbortSignal | undefined,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    const end = (): void => reject(new Error('no reply in time'));
    const timer = setTimeout(end, ms);
    signal?.addEventListener('abort', end, { once: true });
    work.then(resolve, reject).finally(() => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
    });
  });
}
