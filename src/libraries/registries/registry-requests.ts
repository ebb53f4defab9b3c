import { setTimeout } from 'node:timers/promises';
import { Failure, type FetchReason } from '../../contract/errors.ts';
import type { FetchedResponse, GuardedFetch } from '../../platform/net/fetch-types.ts';
import { parseRetryAfter } from '../../platform/net/fetch-types.ts';
import type { RegistryRequest, RegistryRequests } from './registry-types.ts';

const ANSWER_BYTES_MAX = 32 << 20;
const REQUEST_MS = 120_000;
const TRIES_MAX = 4;
const PAUSE_MS_MIN = 1_000;
const PAUSE_MS_MAX = 30_000;
const UNKNOWN_MS = 120_000;
const HOSTS_MAX = 1_000;
const TRANSIENT = new Set<FetchReason>(['timeout', 'connect', 'protocol', 'overloaded']);

type RequestDeps = {
  /** The guarded fetch; it reaches public addresses only. */
  fetch: GuardedFetch;
  /** Reaches the hosts that the operator named, private ones too; its redirects stay on their origin. */
  fetchNamed: GuardedFetch;
  /** Hosts with their ports that the operator named: in the settings of a package client, or by a flag. */
  namedHosts: ReadonlySet<string>;
  now: () => number;
  /** Replaced by tests, which do not wait. */
  pause?: (ms: number, signal: AbortSignal) => Promise<void>;
};

const wait = async (ms: number, signal: AbortSignal): Promise<void> =>
  void (await setTimeout(ms, undefined, { signal }));

/**
 * Creates requests with a deadline, a bound and a few tries; only named hosts may have private addresses. Errors name the host, which a
 * list of many libraries needs, and nothing else of the address, which may hold a secret.
 */
export function createRegistryRequests({
  fetch,
  fetchNamed,
  namedHosts,
  now,
  pause = wait,
}: RequestDeps): RegistryRequests {
  const isNamed = (url: string): boolean => namedHosts.has(URL.parse(url)?.host ?? '');
  const requestOnce = ({
    url,
    authorization,
    accept,
    bytesMax = ANSWER_BYTES_MAX,
    signal,
  }: RegistryRequest) => {
    const reach = isNamed(url) ? fetchNamed : fetch;
    return reach({
      url,
      signal,
      bytesMax,
      timeoutMs: REQUEST_MS,
      ...(accept === undefined ? {} : { headers: { accept } }),
      ...(typeof authorization === 'string' ? { authorization } : {}),
    });
  };
  // A host without an address is asked once: libraries by the dozen name the same few.
  const unknownHosts = new Map<string, { until: number; error: Error }>();
  return {
    isNamed,
    async get(request) {
      const { host } = new URL(request.url);
      const unknown = unknownHosts.get(host);
      if (unknown !== undefined && now() < unknown.until) throw unknown.error;
      for (let tried = 1; ; tried += 1) {
        const outcome = await requestOnce(request).catch((error: Error) => error);
        request.signal.throwIfAborted();
        const mayPass = outcome instanceof Error ? isTransient(outcome) : isBusy(outcome);
        if (!mayPass || tried >= TRIES_MAX) {
          if (outcome instanceof Error) {
            const error = new Error(`${host}: ${outcome.message}`, { cause: outcome });
            if (hasNoAddress(outcome) && unknownHosts.size < HOSTS_MAX)
              unknownHosts.set(host, { until: now() + UNKNOWN_MS, error });
            throw error;
          }
          if (isBusy(outcome)) throw new Error(`${host} answered ${outcome.status}`);
          const { status, body, headers } = outcome;
          return { status, headers, body: Buffer.from(body.buffer, body.byteOffset, body.length) };
        }
        const asked =
          outcome instanceof Error ? null : parseRetryAfter(outcome.headers['retry-after'], now());
        await pause(Math.min(PAUSE_MS_MAX, asked ?? PAUSE_MS_MIN * 2 ** (tried - 1)), request.signal);
      }
    },
  };
}

const isTransient = (error: Error): boolean =>
  error instanceof Failure && error.fetch !== null && TRANSIENT.has(error.fetch.reason);

const isBusy = ({ status }: FetchedResponse): boolean => status === 429 || status >= 500;

const hasNoAddress = (error: Error): boolean => error instanceof Failure && error.fetch?.reason === 'dns';
