import { VERSION } from '../../contract/version.ts';
import type { Clock } from '../../platform/clock.ts';
import { createUpstreamFetch } from '../../platform/net/upstream-fetch.ts';
import { ALL_SOURCES } from '../sources/all-sources.ts';
import { createAnswerCache } from './answer-cache.ts';
import { createUpstream } from './create-upstream.ts';
import type { SharedSources } from './shared-sources.ts';
import type { SourceSwitches } from './source-switches.ts';
import { NOTHING_KNOWN, type SourceReading, type Upstream } from './upstream-types.ts';

/** The operator's settings for the upstream sources. */
type UpstreamSettings = {
  /** The sources that are on, by name. */
  sources: Readonly<Record<string, { readonly baseUrl: string; readonly key: string | null }>>;
  /** Why the others are off. */
  sourcesOff: Readonly<Record<string, string>>;
  contact: string | null;
  dnsServers: readonly string[];
};

export type Upstreams = {
  running: Upstream[];
  /** Every source, including those that are off. */
  readings(): SourceReading[];
  /** Drops all kept answers. */
  forgetAnswers(): void;
  close(): Promise<void>;
};

/** Starts the upstream sources that are on, each with its own bounds, over one guarded network and one cache. */
export function createUpstreams(
  { sources, sourcesOff, contact, dnsServers }: UpstreamSettings,
  clock: Clock,
  switches: Pick<SourceSwitches, 'over'> = { over: (upstream) => upstream },
  shared: SharedSources | null = null,
): Upstreams {
  const isNamed = ({ name, base }: (typeof ALL_SOURCES)[number]): boolean =>
    sources[name] !== undefined && sources[name].baseUrl !== base.standard;
  const network = createUpstreamFetch({
    namedOrigins: ALL_SOURCES.filter(isNamed).flatMap(({ name }) => sources[name]?.baseUrl ?? []),
    dnsServers,
  });
  const cache = createAnswerCache(clock);
  const userAgent = `Sanderling/${VERSION} (${contact ?? 'a search service run by its users'})`;
  const running = ALL_SOURCES.flatMap((spec) => {
    const source = sources[spec.name];
    if (source === undefined) return [];
    const settings = { ...source, userAgent, contact };
    return [switches.over(createUpstream(spec, { settings, fetch: network.fetch, clock, cache, shared }))];
  });
  return {
    running,
    readings: () =>
      ALL_SOURCES.map(
        (spec) =>
          running.find(({ name }) => name === spec.name)?.reading() ??
          buildOffReading(spec, sourcesOff[spec.name] ?? 'off'),
      ),
    forgetAnswers: cache.clear,
    close: network.close,
  };
}

function buildOffReading(
  { name, about, scope, terms }: (typeof ALL_SOURCES)[number],
  why: string,
): SourceReading {
  return { name, about, scope, terms, state: 'off', why, ...NOTHING_KNOWN };
}
