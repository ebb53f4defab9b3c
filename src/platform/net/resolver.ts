import { Resolver } from 'node:dns/promises';
import { LRUCache } from 'lru-cache';
import { createFetchFailure, type Failure } from '../../contract/errors.ts';

/** Resolves a host name to all its IPv4 and IPv6 addresses, unchecked. Throws `Failure('fetch_failed')` with reason 'dns'. */
export type ResolveName = (name: string) => Promise<readonly string[]>;

export type NameResolver = { resolve: ResolveName; close(): void };

type LookUpResult = { addresses: readonly string[] } | { failure: Failure };

const NAMES_MAX = 5_000;
const FRESH_MS_MAX = 60_000;
const FAILED_MS = 10_000;

/** Error codes that mean that the name does not exist; any other error is a failure of the name server. */
const ABSENT = new Set(['ENOTFOUND', 'ENODATA', 'EBADNAME']);

/**
 * Queries name servers directly (c-ares) instead of using the system's lookup, which reads the hosts file and whose four
 * threads a few slow names would block. Answers are cached for their time to live, at most a minute; failures for 10 s.
 */
export function createResolver(options: {
  /** `host:port`; empty: the system's name servers. */
  servers: readonly string[];
  tryMs: number;
  tries: number;
  now?: () => number;
}): NameResolver {
  let asker = createDnsClient(options);
  const known = new LRUCache<string, LookUpResult>({
    max: NAMES_MAX,
    ttlResolution: 0,
    perf: { now: options.now ?? (() => performance.now()) },
  });
  const asking = new Map<string, Promise<LookUpResult>>();

  const lookUpAndCache = async (name: string): Promise<LookUpResult> => {
    const { answer, freshMs, serversFailed } = await lookUp(asker, name);
    // The cache treats a time to live of 0 as "forever".
    if (freshMs > 0) known.set(name, answer, { ttl: freshMs });
    // The system's servers may have changed since the start, for example because a laptop changed networks.
    if (serversFailed && options.servers.length === 0) asker = createDnsClient(options);
    return answer;
  };

  return {
    async resolve(name) {
      let answer: LookUpResult | Promise<LookUpResult> | undefined = known.get(name) ?? asking.get(name);
      if (answer === undefined) {
        answer = lookUpAndCache(name).finally(() => asking.delete(name));
        asking.set(name, answer);
      }
      const result = await answer;
      if ('failure' in result) throw result.failure;
      return result.addresses;
    },
    close: () => asker.cancel(),
  };
}

function createDnsClient(options: { servers: readonly string[]; tryMs: number; tries: number }): Resolver {
  const asker = new Resolver({ timeout: options.tryMs, tries: options.tries });
  if (options.servers.length > 0) asker.setServers([...options.servers]);
  return asker;
}

async function lookUp(
  asker: Resolver,
  name: string,
): Promise<{ answer: LookUpResult; freshMs: number; serversFailed: boolean }> {
  const outcomes = await Promise.allSettled([
    asker.resolve4(name, { ttl: true }),
    asker.resolve6(name, { ttl: true }),
  ]);
  const records = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? outcome.value : []));
  if (records.length > 0) {
    const freshMs = Math.min(FRESH_MS_MAX, ...records.map(({ ttl }) => ttl * 1000));
    const addresses = [...new Set(records.map(({ address }) => address))];
    return { answer: { addresses }, freshMs, serversFailed: false };
  }
  const errors = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
  const serversFailed = errors.some((error) => !ABSENT.has(error.code));
  const message = serversFailed
    ? `the name servers did not answer for ${name}`
    : `the host ${name} does not exist`;
  return {
    answer: { failure: createFetchFailure('dns', message, { cause: errors[0] }) },
    freshMs: FAILED_MS,
    serversFailed,
  };
}
