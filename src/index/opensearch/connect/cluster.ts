import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { StoreUnavailable } from '../../../contract/errors.ts';
import { readOpenSearchAddress } from './address.ts';
import { callSignal } from './call-scope.ts';
import { createSecondTries } from './second-try.ts';

/** What the operator has set; plain data, so that it reaches a thread. */
export type ClusterSettings = {
  /** See `readOpenSearchAddress`. */
  url: string;
  /** A file with the certificates to trust; null: those of the system. */
  caFile: string | null;
  /** Sent as `Authorization: Bearer`; null: none. */
  token: string | null;
  /** Signs requests as AWS asks for; null: does not. */
  aws: { region: string; accessKeyId: string; secretAccessKey: string; sessionToken: string | null } | null;
  /** Primary shards of indices that are created; there may be more later, by `index move`. */
  shards: number;
  /** How soon what was written is found, in milliseconds. */
  refreshMs: number;
  /** For a move: the index may have the layout before, whose pages can be read. */
  isMoved?: boolean;
};

type ClusterRequest = {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'HEAD';
  path: string;
  query?: Record<string, string | number | boolean>;
  /** Sent as JSON. */
  body?: object;
  /** Texts of JSON, sent one a line. */
  lines?: readonly string[];
  /** Whether the caller repeats by itself what the cluster is too busy for; else it is asked once more. */
  repeatsBusy?: boolean;
  /** For each attempt; some are repeated at another node. */
  timeoutMs?: number;
};

/** The cluster behind its official client. */
export type Cluster = {
  /** Prefix of the names of the indices. */
  name: string;
  settings: ClusterSettings;
  /**
   * Resolves to the body of the response. Rejects with ClusterRefusal, or with StoreUnavailable when no node answers in time, or the
   * call that it is for (`withinCall`) is given up.
   */
  request<Body = Record<string, unknown>>(request: ClusterRequest): Promise<Body>;
  close(): Promise<void>;
};

/** The cluster has answered that it does not do this. */
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
/** At another node, where there is one. */
const REPEATS_MAX = 2;
/** A cluster that is busy for a moment is asked once more. */
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
  const secondTries = nodes.length > 1 ? createSecondTries() : null;
  let opened: ReturnType<typeof connect> | null = null;
  const client = (): ReturnType<typeof connect> => {
    opened ??= connect(settings);
    return opened;
  };
  const once = async <Body>({ timeoutMs = TIMEOUT_MS, ...asked }: ClusterRequest): Promise<Body> => {
    const { transport } = await client();
    const { method, path, query, body, lines } = asked;
    const params = {
      method,
      path,
      querystring: query ?? {},
      ...(lines === undefined ? {} : { bulkBody: [...lines] }),
      ...(body === undefined ? {} : { body }),
    };
    const attempt = async (): Promise<Body> => {
      const request = transport.request(params, { requestTimeout: timeoutMs, maxRetries: REPEATS_MAX });
      const response = await endedBy(request, callSignal());
      return response.body as Body;
    };
    const signal = callSignal();
    // What a call waits for is only read, and so may be asked for twice.
    return signal === undefined || secondTries === null ? attempt() : secondTries.race(attempt, signal);
  };
  return {
    name,
    settings,
    async request<Body>(asked: ClusterRequest): Promise<Body> {
      try {
        return await once<Body>(asked);
      } catch (error) {
        const failure = read(error);
        if (!isBusy(failure) || asked.repeatsBusy) throw failure;
      }
      await pause(BUSY_AGAIN_MS, undefined, { signal: callSignal() });
      return once<Body>(asked).catch((error: unknown) => {
        const failure = read(error);
        throw isBusy(failure) ? unavailable(failure) : failure;
      });
    },
    close: async () => (await opened)?.close(),
  };
}

/** Takes the request back when the signal fires. */
async function endedBy<Response>(
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
    ...(await signing(settings.aws)),
    maxRetries: REPEATS_MAX,
    // A node that comes back is found again by the next request that has no other.
    resurrectStrategy: 'optimistic',
    agent: { keepAlive: true, maxSockets: 64 },
    memoryCircuitBreaker: { enabled: true, maxPercentage: 0.9 },
  });
}

/** The client signs by itself; it only needs the credentials. */
async function signing(aws: ClusterSettings['aws']) {
  if (aws === null) return {};
  const { AwsSigv4Signer } = await import('@opensearch-project/opensearch/aws-v3');
  const { region, sessionToken, ...keys } = aws;
  const credentials = { ...keys, ...(sessionToken === null ? {} : { sessionToken }) };
  return AwsSigv4Signer({ region, service: 'es', getCredentials: async () => credentials });
}

type ResponseFailure = { statusCode?: number; meta?: { body?: unknown } };

function read(error: unknown): Error {
  const { statusCode, meta } = error as ResponseFailure;
  if (typeof statusCode !== 'number' || statusCode === 0) return unavailable(error);
  const { body } = meta ?? {};
  if (statusCode === 502 || statusCode === 504) return unavailable(error);
  return new ClusterRefusal(isOfLostNode(body) ? 503 : statusCode, reasonOf(body));
}

/** A search that had begun at a node when it was lost ends with 500: the next one is done by the nodes that are left. */
function isOfLostNode(body: unknown): boolean {
  const { error } = (body ?? {}) as { error?: { root_cause?: { type?: string }[] } };
  return (error?.root_cause ?? []).some(({ type }) => LOST_NODE.has(type ?? ''));
}

function reasonOf(body: unknown): string {
  if (typeof body !== 'object' || body === null) return String(body ?? 'nothing');
  const { error } = body as { error?: { type?: string; reason?: string } | string };
  if (typeof error === 'string') return error;
  return error === undefined ? 'not found' : `${error.type}: ${error.reason}`;
}

function unavailable(cause: unknown): StoreUnavailable {
  const reason = cause instanceof Error ? cause.message : String(cause);
  const advice = /certificate/i.test(reason) ? '; INDEX_CA_FILE names who has signed its certificate' : '';
  return new StoreUnavailable(`The index cannot be reached (${reason}${advice}).`, { cause });
}
