import type { Config } from '../../app/config.ts';
import { Failure } from '../../contract/errors.ts';
import { createRenderClient } from '../../pages/rendering/render-client.ts';
import type { Clock } from '../../platform/clock.ts';
import { createGuardedFetch, type GuardedNetwork } from '../../platform/net/guarded-fetch.ts';
import { createUpstreams } from '../../recall/upstream/create-upstreams.ts';
import { NO_FILTERS } from '../../text/query/filters.ts';
import { readQuery } from '../../text/query/read-query.ts';
import { toFailure, toOk, toWarning, type Verdict } from '../check-result.ts';

/** The answer of a probed address. `skewMs`: how far its clock is ahead of ours; null if it did not say. */
export type Probe = { ok: true; status: number; skewMs: number | null } | { ok: false; why: string };

/** Probes an address that the operator chose, which may be private. */
export type ProbeAddress = (url: string) => Promise<Probe>;

const PROBE_MS = 6_000;
const PROBE_BYTES_MAX = 1_048_576;
/** A query that every source can answer. */
const QUERY = 'open source search engine';
const SKEW_MS_MAX = 10_000;

/** Creates a client that probes addresses; `close` it after use. */
export function createProbe(
  { dnsServers, egress, fetchAllowPrivate }: Pick<Config, 'dnsServers' | 'egress' | 'fetchAllowPrivate'>,
  clock: Clock,
): {
  ask: ProbeAddress;
  /** As pages are fetched: a public address, whose name is judged. */
  askPage: ProbeAddress;
  close(): Promise<void>;
} {
  const network = createGuardedFetch({ allowPrivate: ['0.0.0.0/0', '::/0'], dnsServers, egress });
  const pages = createGuardedFetch({ allowPrivate: fetchAllowPrivate, dnsServers, egress });
  const probeOver =
    (over: Pick<GuardedNetwork, 'fetch'>): ProbeAddress =>
    async (url) => {
      try {
        const { status, headers } = await over.fetch({
          url,
          timeoutMs: PROBE_MS,
          bytesMax: PROBE_BYTES_MAX,
        });
        const said = Date.parse(headers.date ?? '');
        return { ok: true, status, skewMs: Number.isNaN(said) ? null : said - clock.now() };
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        const why = error.fetch?.reason === 'dns' ? 'its name does not resolve' : error.message;
        return { ok: false, why };
      }
    };
  return {
    ask: probeOver(network),
    askPage: probeOver(pages),
    close: async () => void (await Promise.all([network.close(), pages.close()])),
  };
}

/** Probes all enabled sources at once: with a query where queries are free, otherwise only whether the server answers. */
export async function probeSources(
  config: Config,
  clock: Clock,
  ask: ProbeAddress,
): Promise<Map<string, Verdict>> {
  const upstreams = createUpstreams(config, clock);
  try {
    const asked = upstreams.running.map(async (upstream): Promise<[string, Verdict]> => {
      const { name } = upstream;
      const source = config.sources[name];
      if (source !== undefined && source.key !== null)
        return [name, judgeConnection(await ask(source.baseUrl))];
      const since = performance.now();
      const wanted = { ...NO_FILTERS, query: readQuery(QUERY), limit: 3, page: 0 };
      const answer = await upstream.ask(wanted, { isLastResort: true });
      const ms = Math.round(performance.now() - since);
      if (answer.ok)
        return [
          name,
          toOk(
            `answered in ${ms} ms with ${answer.items.length} result${answer.items.length === 1 ? '' : 's'}`,
          ),
        ];
      return [name, toWarning(`did not answer a query: ${answer.error.replaceAll('_', ' ')}`)];
    });
    return new Map(await Promise.all(asked));
  } finally {
    await upstreams.close();
  }
}

function judgeConnection(probe: Probe): Verdict {
  if (!probe.ok) return toWarning(`cannot be reached: ${probe.why}`);
  return toOk('its server answers (no query was made, because queries with a key may cost something)');
}

/** Pure: compares the clock with those of servers that answered. */
export function judgeClock(probes: readonly Probe[]): Verdict {
  const skews = probes.flatMap((probe) => (probe.ok && probe.skewMs !== null ? [probe.skewMs] : []));
  if (skews.length === 0) return { mark: 'off', text: 'not checked: no other server told the time' };
  // The median: a single server may be wrong.
  const skew = skews.toSorted((one, other) => one - other)[Math.floor(skews.length / 2)] ?? 0;
  const seconds = Math.round(Math.abs(skew) / 1_000);
  if (Math.abs(skew) <= SKEW_MS_MAX) return toOk('agrees with other servers');
  return toWarning(
    `${seconds} s ${skew > 0 ? 'behind' : 'ahead of'} other servers: payment webhooks, free requests and expiries depend on it; turn on time synchronisation (NTP)`,
  );
}

/** Checks whether pages are rendered, and with which browser; fails if the configured process does not answer. */
export async function checkRendering({
  rendering,
  dnsServers,
}: Pick<Config, 'rendering' | 'dnsServers'>): Promise<Verdict> {
  if (rendering === null)
    return { mark: 'off', text: 'pages that need a browser cannot be read (RENDER_URL is not set)' };
  const client = createRenderClient({ ...rendering, dnsServers });
  try {
    const { browser, sandbox, memoryMb } = await client.health();
    const text = `${browser} at ${rendering.url}, ${memoryMb} MB`;
    return sandbox ? toOk(text) : toWarning(`${text}, without its sandbox (RENDER_SANDBOX=off)`);
  } catch (error) {
    const { message, cause } = error as Error;
    const why = cause instanceof Error ? cause.message : message;
    return toFailure(
      `${rendering.url}: ${why}; start it with sanderling render, with the same RENDER_TOKEN, or unset RENDER_URL`,
    );
  } finally {
    await client.close();
  }
}
