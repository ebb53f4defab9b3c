/**
 * The connection to an OpenSearch cluster, through its official client. Every request has a time limit, is retried at another node and
 * ends with the call that it serves. It knows nothing of indices or pages.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { StoreUnavailable } from '../../../contract/errors.ts';

const NAME_DEFAULT = 'sanderling';
const NAME = /^[a-z0-9][a-z0-9_-]{0,99}$/;
/** Returns whether the text is the address of a cluster and not the path of a file. */
export const isClusterAddress = (text: string): boolean => /^https?:\/\//i.test(text);

/** Settings of the operator; plain data, so that they can be sent to a thread. */
export type ClusterSettings = {
  /** See `readOpenSearchAddress`. */
  url: string;
  /** A file with the certificates to trust; null: those of the system. */
  caFile: string | null;
  /** Sent as `Authorization: Bearer`; null: none. */
  token: string | null;
  /** Credentials for signing requests to AWS; null: requests are not signed. */
  aws: { region: string; accessKeyId: string; secretAccessKey: string; sessionToken: string | null } | null;
  /** Primary shards of newly created indices; `index move` can create more later. */
  shards: number;
  /** Milliseconds until searches find what was written. */
  refreshMs: number;
  /** Set for a move: accepts an index of the previous layout, whose pages can be read. */
  isMoved?: boolean;
};

type ClusterRequest = {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'HEAD';
  path: string;
  query?: Record<string, string | number | boolean>;
  /** Sent as JSON. */
  body?: object;
  /** JSON texts, sent one per line. */
  lines?: readonly string[];
  /** The caller retries by itself when the cluster is busy; otherwise the request is retried once. */
  repeatsBusy?: boolean;
  /** Time limit for each attempt; some requests are retried at another node. */
  timeoutMs?: number;
};

/** A connection to a cluster through its official client. */
export type Cluster = {
  /** Prefix of the names of the indices. */
  name: string;
  settings: ClusterSettings;
  /**
   * Resolves to the body of the response. Rejects with ClusterRefusal, or with StoreUnavailable when no node answers in time or the
   * call that it serves (`runInCall`) is aborted.
   */
  request<Body = Record<string, unknown>>(request: ClusterRequest): Promise<Body>;
  close(): Promise<void>;
};

/** Thrown when the cluster answers with an error. */
export class ClusterRefusal extends Error {
  readonly status: number;
  readonly reason: string;
  constructor(status: number, reason: string) {
    super(`OpenSearch answered ${status}: ${reason}`);
    this.status = status;
    this.reason = reason;
  }
}

const TIMEOUT_MS = 4_000;
/** Maximum retries, at another node if there is one. */
const REPEATS_MAX = 2;
/** Delay before a request to a busy cluster is retried. */
const BUSY_AGAIN_MS = 150;
const BUSY = new Set([429, 503]);
const LOST_NODE = new Set([
  'node_disconnected_exception',
  'node_not_connected_exception',
  'node_closed_exception',
]);

/** Connects when the first request is made; the client is loaded only then. */
export function openCluster(settings: ClusterSettings): Cluster {
  const { name, nodes } = readOpenSearchAddress(settings.url);
  const secondTries = nodes.length > 1 ? createRequestHedger() : null;
  let opened: ReturnType<typeof connect> | null = null;
  const openClient = (): ReturnType<typeof connect> => {
    opened ??= connect(settings);
    return opened;
  };
  const sendOnce = async <Body>({ timeoutMs = TIMEOUT_MS, ...asked }: ClusterRequest): Promise<Body> => {
    const { transport } = await openClient();
    const { method, path, query, body, lines } = asked;
    const params = {
      method,
      path,
      querystring: query ?? {},
      ...(lines === undefined ? {} : { bulkBody: [...lines] }),
      ...(body === undefined ? {} : { body }),
    };
    const tryRequest = async (): Promise<Body> => {
      const request = transport.request(params, { requestTimeout: timeoutMs, maxRetries: REPEATS_MAX });
      const response = await abortOnSignal(request, findCallSignal());
      return response.body as Body;
    };
    const signal = findCallSignal();
    // Requests of a call only read, so they may be sent twice.
    return signal === undefined || secondTries === null ? tryRequest() : secondTries.race(tryRequest, signal);
  };
  return {
    name,
    settings,
    async request<Body>(asked: ClusterRequest): Promise<Body> {
      try {
        return await sendOnce<Body>(asked);
      } catch (error) {
        const failure = parseFailure(error);
        if (!isBusy(failure) || asked.repeatsBusy) throw failure;
      }
      await pause(BUSY_AGAIN_MS, undefined, { signal: findCallSignal() });
      return sendOnce<Body>(asked).catch((error: unknown) => {
        const failure = parseFailure(error);
        throw isBusy(failure) ? toUnavailable(failure) : failure;
      });
    },
    close: async () => (await opened)?.close(),
  };
}

/** Aborts the request when the signal fires. */
async function abortOnSignal<Response>(
  request: Promise<Response> & { abort(): void },
  signal: AbortSignal | undefined,
): Promise<Response> {
  const abort = (): void => request.abort();
  if (signal?.aborted) abort();
  signal?.addEventListener('abort', abort, { once: true });
  try {
    return await request;
  } finally {
    signal?.removeEventListener('abort', abort);
  }
}

const isBusy = (failure: Error): boolean => failure instanceof ClusterRefusal && BUSY.has(failure.status);

async function connect(settings: ClusterSettings) {
  const { nodes, login } = readOpenSearchAddress(settings.url);
  const { Client } = await import('@opensearch-project/opensearch');
  const ca = settings.caFile === null ? {} : { ca: readFileSync(settings.caFile, 'utf8') };
  return new Client({
    nodes,
    ssl: ca,
    ...(login === null ? {} : { auth: login }),
    ...(settings.token === null ? {} : { headers: { authorization: `Bearer ${settings.token}` } }),
    ...(await buildSigning(settings.aws)),
    maxRetries: REPEATS_MAX,
    // Lets the next request that has no other node try a dead one again.
    resurrectStrategy: 'optimistic',
    agent: { keepAlive: true, maxSockets: 64 },
    memoryCircuitBreaker: { enabled: true, maxPercentage: 0.9 },
  });
}

/** Returns the client options for signing requests; the client signs them itself. */
async function buildSigning(aws: ClusterSettings['aws']) {
  if (aws === null) return {};
  const { AwsSigv4Signer } = await import('@opensearch-project/opensearch/aws-v3');
  const { region, sessionToken, ...keys } = aws;
  const credentials = { ...keys, ...(sessionToken === null ? {} : { sessionToken }) };
  return AwsSigv4Signer({ region, service: 'es', getCredentials: async () => credentials });
}

type ResponseFailure = { statusCode?: number; meta?: { body?: unknown } };

function parseFailure(error: unknown): Error {
  const { statusCode, meta } = error as ResponseFailure;
  if (typeof statusCode !== 'number' || statusCode === 0) return toUnavailable(error);
  const { body } = meta ?? {};
  if (statusCode === 502 || statusCode === 504) return toUnavailable(error);
  return new ClusterRefusal(isLostNode(body) ? 503 : statusCode, readReason(body));
}

/** Returns whether a node was lost during the request, which then ends with 500; a retry is served by the remaining nodes. */
function isLostNode(body: unknown): boolean {
  const { error } = (body ?? {}) as { error?: { root_cause?: { type?: string }[] } };
  return (error?.root_cause ?? []).some(({ type }) => LOST_NODE.has(type ?? ''));
}

function readReason(body: unknown): string {
  if (typeof body !== 'object' || body === null) return String(body ?? 'nothing');
  const { error } = body as { error?: { type?: string; reason?: string } | string };
  if (typeof error === 'string') return error;
  return error === undefined ? 'not found' : `${error.type}: ${error.reason}`;
}

function toUnavailable(cause: unknown): StoreUnavailable {
  const reason = cause instanceof Error ? cause.message : String(cause);
  const advice = /certificate/i.test(reason) ? '; INDEX_CA_FILE names who has signed its certificate' : '';
  return new StoreUnavailable(`The index cannot be reached (${reason}${advice}).`, { cause });
}

/** The address of a cluster: its nodes, the prefix of its index names, and the credentials. */
type OpenSearchAddress = {
  /** Origins of the nodes. */
  nodes: string[];
  /** Prefix of the names of all indices, in lower case. */
  name: string;
  /** User name and password from the address; null: none. */
  login: { username: string; password: string } | null;
};

/**
 * Parses `https://name:password@one:9200/docs`; further nodes follow as addresses separated by commas. Throws an Error that says
 * what is wrong.
 */
export function readOpenSearchAddress(text: string): OpenSearchAddress {
  const urls = text.split(',').map((part) => {
    const url = URL.parse(part.trim());
    if (url === null || !isClusterAddress(url.href))
      throw new Error('must be an address such as https://search.example:9200, or several with commas');
    return url;
  });
  const [first] = urls;
  const name = first?.pathname.replace(/^\/|\/$/g, '') || NAME_DEFAULT;
  if (first === undefined || !NAME.test(name))
    throw new Error('may end in the name of the indices, of lower-case letters, digits, - and _');
  const { username, password } = first;
  return {
    nodes: urls.map(({ origin }) => origin),
    name,
    login:
      username === ''
        ? null
        : { username: decodeURIComponent(username), password: decodeURIComponent(password) },
  };
}

/** The abort signal of the current call, passed to its cluster requests through async context. */
const scope = new AsyncLocalStorage<AbortSignal>();

/** Runs the work of a call: once the signal fires, its requests end and no further one begins. */
export function runInCall<Result>(
  signal: AbortSignal | undefined,
  work: () => Promise<Result>,
): Promise<Result> {
  return signal === undefined ? work() : scope.run(signal, work);
}

/** Runs work that several calls wait for: it continues when one of them is aborted. */
export const runOutsideCalls = <Result>(work: () => Promise<Result>): Promise<Result> => scope.exit(work);

/** Returns the signal of the current call; undefined for work outside any call. */
const findCallSignal = (): AbortSignal | undefined => scope.getStore();

/**
 * Hedged requests: a request that is late is sent a second time, and the first answer counts. Otherwise a hanging node would cost each
 * request that reaches it the full time limit. Second tries are limited to a share of all requests, so that they do not double the
 * load of a busy cluster.
 */
type RequestHedger = {
  /** `attempt` asks a node, a different one each time. */
  race<Answer>(attempt: () => Promise<Answer>, signal: AbortSignal): Promise<Answer>;
};

/** Share of the requests that may be sent a second time, and the maximum allowance saved up in quiet times. */
const SHARE = 0.05;
const SAVED_MAX = 20;
/** A request is late after this multiple of the usual time, within these bounds. */
const TIMES_USUAL = 4;
const LATE_MS = { least: 60, most: 1_000 };
/** Weight of the latest answer in the moving average of the usual time. */
const LAST_WEIGHT = 0.1;

type Time = { now(): number; wait(ms: number, signal: AbortSignal): Promise<unknown> };

const REAL_TIME: Time = {
  now: () => performance.now(),
  wait: (ms, signal) => pause(ms, undefined, { signal }),
};

export function createRequestHedger({ now, wait }: Time = REAL_TIME): RequestHedger {
  let saved = SAVED_MAX;
  let usualMs = LATE_MS.least / TIMES_USUAL;
  const measureAttempt = async <Answer>(attempt: () => Promise<Answer>): Promise<Answer> => {
    const begun = now();
    const answer = await attempt();
    usualMs += (now() - begun - usualMs) * LAST_WEIGHT;
    return answer;
  };
  return {
    async race(attempt, signal) {
      saved = Math.min(SAVED_MAX, saved + SHARE);
      const first = measureAttempt(attempt);
      const ended = new AbortController();
      const lateMs = Math.min(LATE_MS.most, Math.max(LATE_MS.least, usualMs * TIMES_USUAL));
      const until = AbortSignal.any([signal, ended.signal]);
      const late = wait(lateMs, until).then(
        () => 'late' as const,
        () => 'over' as const,
      );
      try {
        const settled = first.then(
          () => 'over' as const,
          () => 'over' as const,
        );
        if ((await Promise.race([settled, late])) === 'over' || saved < 1) return await first;
        saved -= 1;
        const second = measureAttempt(attempt);
        // If one try fails, the other may still succeed; if both fail, the first one's error is thrown.
        return await Promise.any([first, second]).catch(() => first);
      } finally {
        ended.abort();
      }
    },
  };
}
