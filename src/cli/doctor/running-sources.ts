import * as z from 'zod';
import type { Config } from '../../app/config.ts';
import { Failure } from '../../contract/errors.ts';
import { createGuardedFetch } from '../../platform/net/guarded-fetch.ts';

const Figures = z.object({
  name: z.string(),
  breaker: z.enum(['closed', 'half_open', 'open']),
  calls: z.number(),
  p50Ms: z.number().nullable(),
  p95Ms: z.number().nullable(),
  successShare: z.number().nullable(),
  quotaLeft: z.number().nullable(),
});

/** The figures of a source in the running server. */
export type RunningSource = z.output<typeof Figures>;

const ANSWER_MS_MAX = 2_000;
const ANSWER_BYTES_MAX = 1_048_576;
/** Listening address -> where the same machine reaches it. */
const REACHED_AT: Record<string, string> = { '0.0.0.0': '127.0.0.1', '::': '::1', localhost: '127.0.0.1' };

/** The sources of the server at the configured address, by name; null if no Sanderling answers there. */
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
