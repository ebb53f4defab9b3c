import { VERSION } from '../../contract/version.ts';
import type { Clock } from '../../platform/clock.ts';
import type { EgressSettings } from '../../platform/net/egress/egress.ts';
import { createUpstreamFetch } from '../../platform/net/upstream-fetch.ts';
import type { Store } from '../../platform/store/open-store.ts';
import type { SourceSpec } from '../source.ts';
import { listSources } from '../sources/all-sources.ts';
import type { PeerSettings } from '../sources/sanderling.ts';
import { createUpstream } from './create-upstream.ts';
import { createAnswerCache, type SharedSources } from './shared-sources.ts';
import { NOTHING_KNOWN, type SourceReading, type Upstream } from './upstream-types.ts';

/** Reason shown to the operator for a switched-off source. */
export const SWITCHED_OFF = 'the operator switched it off';

/** The operator's settings for the upstream sources. */
type UpstreamSettings = {
  /** Enabled sources, by name. */
  sources: Readonly<Record<string, { readonly baseUrl: string; readonly key: string | null }>>;
  /** Reason why each other source is off, by name. */
  sourcesOff: Readonly<Record<string, string>>;
  peers: readonly PeerSettings[];
  /** The id of this server, which peers are told; absent: a program beside it asks. */
  serverId?: string;
  contact: string | null;
  dnsServers: readonly string[];
  egress: EgressSettings | null;
};

export type Upstreams = {
  running: Upstream[];
  /** Returns the state of every source, including those that are off. */
  readings(): SourceReading[];
  /** Clears the answer cache. */
  forgetAnswers(): void;
  close(): Promise<void>;
};

/** Creates the enabled upstream sources, each with its own bounds, over one guarded network and one cache. */
export function createUpstreams(
  { sources, sourcesOff, peers, serverId, contact, dnsServers, egress }: UpstreamSettings,
  clock: Clock,
  switches: Pick<SourceSwitches, 'over'> = { over: (upstream) => upstream },
  shared: SharedSources | null = null,
): Upstreams {
  const specs = listSources(peers, serverId);
  const isNamed = ({ name, base }: SourceSpec): boolean =>
    sources[name] !== undefined && sources[name].baseUrl !== base.standard;
  const network = createUpstreamFetch({
    namedOrigins: specs.filter(isNamed).flatMap(({ name }) => sources[name]?.baseUrl ?? []),
    dnsServers,
    egress,
  });
  const cache = createAnswerCache(clock);
  const userAgent = `Sanderling/${VERSION} (${contact ?? 'a search service run by its users'})`;
  const running = specs.flatMap((spec) => {
    const source = sources[spec.name];
    if (source === undefined) return [];
    const settings = { ...source, userAgent, contact };
    return [switches.over(createUpstream(spec, { settings, fetch: network.fetch, clock, cache, shared }))];
  });
  return {
    running,
    readings: () =>
      specs.map(
        (spec) =>
          running.find(({ name }) => name === spec.name)?.reading() ??
          buildOffReading(spec, sourcesOff[spec.name] ?? 'off'),
      ),
    forgetAnswers: cache.clear,
    close: network.close,
  };
}

function buildOffReading({ name, about, scope, terms }: SourceSpec, why: string): SourceReading {
  return { name, about, scope, terms, state: 'off', why, ...NOTHING_KNOWN };
}

/** Configured sources that the operator has switched off. Kept in the store, so that the switch survives a restart. */
export type SourceSwitches = {
  isOff(name: string): boolean;
  /** Takes effect here at once, and in other processes on the same data within seconds. */
  set(name: string, state: 'on' | 'off'): Promise<void>;
  /** Reads what another process has switched. */
  reread(): Promise<void>;
  /** Registers a listener for when any process switches a source. */
  onChange(listener: () => void): void;
  /** Wraps a source so that it fits no query while it is switched off, and reports itself as off. */
  over(upstream: Upstream): Upstream;
};

export async function createSourceSwitches(store: Store, now: () => number): Promise<SourceSwitches> {
  let off: ReadonlySet<string> = await readSwitchedOff(store);
  const listeners: (() => void)[] = [];
  const take = (names: ReadonlySet<string>): void => {
    const isSame = names.size === off.size && [...names].every((name) => off.has(name));
    off = names;
    if (!isSame) for (const listener of listeners) listener();
  };
  return {
    isOff: (name) => off.has(name),
    async set(name, state) {
      if (state === 'off')
        await store
          .insertInto('source_switch')
          .values({ name, off_at: now() })
          .onConflict((row) => row.column('name').doNothing())
          .execute();
      else await store.deleteFrom('source_switch').where('name', '=', name).execute();
      take(await readSwitchedOff(store));
    },
    reread: async () => take(await readSwitchedOff(store)),
    onChange(listener) {
      listeners.push(listener);
    },
    over: (upstream) => ({
      ...upstream,
      fitOf: (traits, domains) => (off.has(upstream.name) ? 0 : upstream.fitOf(traits, domains)),
      reading: () =>
        off.has(upstream.name)
          ? { ...upstream.reading(), state: 'off', why: SWITCHED_OFF }
          : upstream.reading(),
    }),
  };
}

async function readSwitchedOff(store: Store): Promise<Set<string>> {
  const rows = await store.selectFrom('source_switch').select('name').execute();
  return new Set(rows.map(({ name }) => name));
}
