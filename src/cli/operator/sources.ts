import type { Config } from '../../app/config.ts';
import { systemClock } from '../../platform/clock.ts';
import { openStore } from '../../platform/store/open-store.ts';
import {
  createSourceSwitches,
  createUpstreams,
  type SourceSwitches,
} from '../../recall/upstream/create-upstreams.ts';
import type { SourceReading } from '../../recall/upstream/upstream-types.ts';
import { askRunningSources, type RunningSource } from '../doctor/doctor-sources.ts';
import { formatCount } from '../progress-line.ts';

/** `sanderling sources list`. Like all commands here, resolves to the exit code. */
export async function listSources(config: Config, { json }: { json?: boolean }): Promise<number> {
  const running = await askRunningSources(config);
  return withSwitches(config, async (_, readings) => {
    const lines = readings.map((reading) => ({ ...reading, ...mergeFigures(running?.get(reading.name)) }));
    if (json) print(JSON.stringify(lines.map(toJson), null, 2));
    else for (const line of lines) print(formatSource(line));
    return 0;
  });
}

/** `sanderling sources on|off`: resolves to 1 if there is no such source to switch. */
export function switchSource(config: Config, name: string, state: 'on' | 'off'): Promise<number> {
  return withSwitches(config, async (switches, readings) => {
    if (config.sources[name] === undefined) {
      const known = readings.find((reading) => reading.name === name);
      process.stderr.write(
        known === undefined
          ? `There is no source ${JSON.stringify(name)}; sanderling sources lists them.\n`
          : `${name} is not configured: ${known.why}.\n`,
      );
      return 1;
    }
    await switches.set(name, state);
    print(`${name} is ${state}; running servers notice within seconds.`);
    return 0;
  });
}

async function withSwitches(
  config: Config,
  work: (switches: SourceSwitches, readings: SourceReading[]) => Promise<number>,
): Promise<number> {
  const store = await openStore(config.dataDir);
  const switches = await createSourceSwitches(store, systemClock.now);
  const upstreams = createUpstreams(config, systemClock, switches);
  try {
    return await work(switches, upstreams.readings());
  } finally {
    await upstreams.close();
    await store.destroy();
  }
}

type Line = SourceReading & { isRunning: boolean };

function mergeFigures(running: RunningSource | undefined): { isRunning: boolean } & Partial<RunningSource> {
  return running === undefined ? { isRunning: false } : { ...running, isRunning: true };
}

function toJson({ name, about, state, why, isRunning, ...figures }: Line): Record<string, unknown> {
  const { breaker, calls, p50Ms, p95Ms, successShare, quotaLeft } = figures;
  const seen = isRunning ? { breaker, calls, p50Ms, p95Ms, successShare, quotaLeft } : {};
  return { name, about, state, ...(why === null ? {} : { why }), ...seen };
}

const NAME_CHARS = 16;

function formatSource({
  name,
  state,
  why,
  about,
  isRunning,
  breaker,
  calls,
  p50Ms,
  successShare,
}: Line): string {
  const share = successShare === null ? [] : [`${Math.round(successShare * 100)} % succeeded`];
  const median = p50Ms === null ? [] : [`median ${Math.round(p50Ms)} ms`];
  const seen = isRunning ? [formatCount(calls, 'call'), ...share, ...median, `breaker ${breaker}`] : [];
  const facts = state === 'off' ? [why ?? 'off'] : [about, ...seen];
  return `${state.padEnd(4)} ${name.padEnd(NAME_CHARS)} ${facts.join(', ')}`;
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
