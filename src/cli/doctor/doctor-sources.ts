import * as z from 'zod';
import type { Config } from '../../app/config.ts';
import { Failure } from '../../contract/errors.ts';
import { createGuardedFetch } from '../../platform/net/guarded-fetch.ts';
import { ALL_SOURCES, listSources } from '../../recall/sources/all-sources.ts';
import type { Verdict } from '../check-result.ts';

const Figures = z.object({
  name: z.string(),
  breaker: z.enum(['closed', 'half_open', 'open']),
  calls: z.number(),
  p50Ms: z.number().nullable(),
  p95Ms: z.number().nullable(),
  successShare: z.number().nullable(),
  quotaLeft: z.number().nullable(),
});
const ANSWER_MS_MAX = 2_000;
const ANSWER_BYTES_MAX = 1_048_576;
/** Listening address -> address at which the same machine reaches it. */
const REACHED_AT: Record<string, string> = { '0.0.0.0': '127.0.0.1', '::': '::1', localhost: '127.0.0.1' };

export type SourceLine = Verdict & { name: string };

type Running = ReadonlyMap<string, RunningSource>;

/**
 * Pure: builds a line for the contact, one for the coverage of recall, and one for each source: on or why not, its key, its address,
 * its figures in the running server (`running`; null: no server is running), and its answer just now (`probed`).
 */
export function buildSourceLines(
  { contact, localIndex, sources, sourcesOff, peers }: Config,
  running: Running | null = null,
  probed: ReadonlyMap<string, Verdict> = new Map(),
): SourceLine[] {
  const lines = listSources(peers).map(({ name, about, key }): SourceLine => {
    const source = sources[name];
    if (source === undefined) return { name, mark: 'off', text: `${sourcesOff[name] ?? 'off'} (${about})` };
    const keyText = key === null ? 'needs no key' : source.key === null ? `no ${key.setting}` : 'with a key';
    const seen = running?.get(name);
    const probe = probed.get(name);
    const isPaused = seen !== undefined && seen.breaker !== 'closed';
    const facts = [
      `on, ${keyText}, ${source.baseUrl} (${about})`,
      ...(probe === undefined ? [] : [probe.text]),
      ...(seen === undefined ? [] : [formatFigures(seen)]),
    ];
    return { name, mark: isPaused || probe?.mark === 'warning' ? 'warning' : 'ok', text: facts.join('; ') };
  });
  return [buildContactLine(contact, Object.keys(sources)), buildReachLine(localIndex, sources), ...lines];
}

const BREAKERS = {
  closed: 'not paused',
  half_open: 'being retried after failures',
  open: 'paused after failures',
};

function formatFigures({ breaker, calls, p50Ms, p95Ms, successShare, quotaLeft }: RunningSource): string {
  const share = successShare === null ? [] : [`${Math.round(successShare * 100)} % succeeded`];
  const times = p50Ms === null || p95Ms === null ? [] : [`p50 ${p50Ms} ms`, `p95 ${p95Ms} ms`];
  const quota = quotaLeft === null ? [] : [`quota left ${quotaLeft}`];
  const counted = calls === 0 ? ['not asked yet'] : [`${calls} ${calls === 1 ? 'call' : 'calls'}`, ...share];
  return [...counted, ...times, BREAKERS[breaker], ...quota].join(', ');
}

function buildContactLine(contact: string | null, on: readonly string[]): SourceLine {
  const name = 'contact';
  if (contact !== null) return { name, mark: 'ok', text: contact };
  if (on.length === 0) return { name, mark: 'off', text: 'not needed: no upstream source is on' };
  return {
    name,
    mark: 'warning',
    text: 'not set: set CONTACT to an email or web address, or sources such as Wikipedia may reject requests',
  };
}

function buildReachLine(localIndex: boolean, sources: Config['sources']): SourceLine {
  const name = 'recall';
  const wide = ALL_SOURCES.filter(({ scope, name: one }) => scope === 'web' && sources[one] !== undefined);
  const index = localIndex ? 'the local index' : 'no local index (RECALL)';
  const count = Object.keys(sources).length;
  const text = `${index} and ${count} ${count === 1 ? 'source' : 'sources'}`;
  if (wide.length > 0 || count === 0) return { name, mark: 'ok', text };
  return {
    name,
    mark: 'warning',
    text: `${text}, none of which covers the whole web: set SEARXNG_URL or the key of a search engine (see .env.example)`,
  };
}

/** The figures of a source in the running server. */
export type RunningSource = z.output<typeof Figures>;

/** Asks the server at the configured address for its sources, by name; null if no Sanderling answers there. */
export async function askRunningSources({
  host,
  port,
}: Pick<Config, 'host' | 'port'>): Promise<Map<string, RunningSource> | null> {
  const address = REACHED_AT[host] ?? host;
  const network = createGuardedFetch({ allowPrivate: ['0.0.0.0/0', '::/0'] });
  try {
    const { status, body } = await network.fetch({
      url: `http://${address.includes(':') ? `[${address}]` : address}:${port}/v1/sources`,
      timeoutMs: ANSWER_MS_MAX,
      bytesMax: ANSWER_BYTES_MAX,
    });
    return status === 200 ? readSources(new TextDecoder().decode(body)) : null;
  } catch (error) {
    if (error instanceof Failure) return null;
    throw error;
  } finally {
    await network.close();
  }
}

function readSources(text: string): Map<string, RunningSource> | null {
  const parsed = z.object({ sources: z.array(Figures) }).safeParse(parseJsonOrNull(text));
  return parsed.success ? new Map(parsed.data.sources.map((source) => [source.name, source])) : null;
}

function parseJsonOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
