import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The format of `node --cpu-prof`: https://chromedevtools.github.io/devtools-protocol/tot/Profiler/#type-Profile */
type Profile = {
  nodes: { id: number; callFrame: { functionName: string; url: string } }[];
  samples: number[];
  timeDeltas: number[];
};

const IDLE = new Set(['(idle)', '(program)', '(root)']);
const ROWS = 24;

/** Where each thread spent its time, by module and by function: milliseconds and shares of its busy time. */
export function summaryOf(folder: string): string {
  const files = readdirSync(folder).filter((name) => name.endsWith('.cpuprofile'));
  const threads = files.map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as Profile);
  return threads
    .map((profile) => ({ profile, busyMs: busyOf(profile) }))
    .filter(({ busyMs }) => busyMs > 100)
    .toSorted((one, other) => other.busyMs - one.busyMs)
    .map(({ profile, busyMs }, place) =>
      [
        `thread ${place + 1} (${threadName(profile)}): busy for ${busyMs.toFixed(0)} ms`,
        ...rows(timesBy(profile, moduleOf), busyMs),
        '  by function',
        ...rows(timesBy(profile, functionOf), busyMs),
      ].join('\n'),
    )
    .join('\n\n');
}

type Frame = Profile['nodes'][number]['callFrame'];

function timesBy(
  { nodes, samples, timeDeltas }: Profile,
  nameOf: (frame: Frame) => string,
): Map<string, number> {
  const names = new Map(nodes.map(({ id, callFrame }) => [id, nameOf(callFrame)]));
  const times = new Map<string, number>();
  for (const [place, id] of samples.entries()) {
    const name = names.get(id) ?? '';
    times.set(name, (times.get(name) ?? 0) + (timeDeltas[place] ?? 0) / 1_000);
  }
  return times;
}

function busyOf(profile: Profile): number {
  let busy = 0;
  for (const [name, ms] of timesBy(profile, ({ functionName }) => functionName))
    if (!IDLE.has(name)) busy += ms;
  return busy;
}

/** The first module of ours that ran in it, other than the one that every thread loads. */
function threadName({ nodes }: Profile): string {
  const urls = nodes.map(({ callFrame: { url } }) => /\/src\/(.*-thread|cli)\.ts$/.exec(url)?.[1]);
  return urls.find((url) => url !== undefined) ?? 'other';
}

function rows(times: Map<string, number>, busyMs: number): string[] {
  return [...times]
    .filter(([name]) => !IDLE.has(name))
    .toSorted(([, one], [, other]) => other - one)
    .slice(0, ROWS)
    .map(
      ([name, ms]) =>
        `  ${ms.toFixed(0).padStart(6)} ms ${((100 * ms) / busyMs).toFixed(1).padStart(5)} %  ${name}`,
    );
}

/** The folder of ours (two levels), the package, or Node's own module. */
function moduleOf({ functionName, url }: Frame): string {
  if (url === '') return functionName.startsWith('(') ? functionName : 'native code';
  const ours = /\/src\/(.+)\/[^/]+$/.exec(url)?.[1];
  if (ours !== undefined && !url.includes('/node_modules/'))
    return `src/${ours.split('/').slice(0, 3).join('/')}`;
  const inPackage = url.split('/node_modules/').at(-1)?.split('/') ?? [];
  if (url.includes('/node_modules/'))
    return inPackage.slice(0, inPackage[0]?.startsWith('@') ? 2 : 1).join('/');
  return url;
}

const functionOf = (frame: Frame): string =>
  `${frame.functionName || '(anonymous)'} ${frame.url.split('/').slice(-2).join('/')}`;
