import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';

/** Processes that are killed repeatedly, each replaced immediately. */
export type Killing = {
  /** The arguments of node for a process. */
  command(place: number): { args: string[]; env?: Record<string, string> };
  processes: number;
  /** Mean time between kills, once every process is working; ends at the first bound reached. */
  everyMs: number;
  seconds: number;
  kills: number;
  /** Most processes answer up to this many calls before they are killed, so that a slow machine also makes progress. */
  answersMax: number;
  /** Calls that a process has answered since its start. */
  done(place: number): number;
  /** Receives each line that a process prints; the first means that it is working. */
  onLine(line: string, place: number): void;
};

type Place = { child: ChildProcess; due: number; working: Promise<unknown>; ended: Promise<unknown> };

const HEAP_MB = 400;
const START_MS = 120_000;

/** Returns the number of kills. Finally ends every process it has started. */
export async function killAgainAndAgain(killing: Killing): Promise<number> {
  const places = Array.from({ length: killing.processes }, (_, place) => start(killing, place));
  let kills = 0;
  try {
    await Promise.race([Promise.all(places.map(({ working }) => working)), startsTooSlowly()]);
    const until = performance.now() + killing.seconds * 1_000;
    while (kills < killing.kills && performance.now() < until) {
      await wait(killing.everyMs * (0.5 + Math.random()));
      const place = Math.floor(Math.random() * places.length);
      const chosen = places[place];
      // A few are killed while they start, before they have done anything.
      if (chosen === undefined || (killing.done(place) < chosen.due && Math.random() < 0.97)) continue;
      await end(chosen);
      kills += 1;
      places[place] = start(killing, place);
    }
  } finally {
    await Promise.all(places.map(end));
  }
  return kills;
}

function start({ command, onLine, answersMax }: Killing, place: number): Place {
  const { args, env } = command(place);
  const child = spawn(process.execPath, [`--max-old-space-size=${HEAP_MB}`, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
  });
  const lines = createInterface({ input: child.stdout });
  const started: Place = {
    child,
    due: Math.random() * answersMax,
    working: once(lines, 'line'),
    ended: Promise.all([once(child, 'exit'), once(child.stdout, 'close')]),
  };
  lines.on('line', (line) => {
    onLine(line, place);
  });
  return started;
}

async function startsTooSlowly(): Promise<never> {
  await wait(START_MS, null, { ref: false });
  throw new Error(`a process was not working ${START_MS} ms after its start`);
}

async function end({ child, ended }: Place): Promise<void> {
  const alive = child.exitCode === null && child.signalCode === null;
  child.kill('SIGKILL');
  await ended;
  if (!alive)
    throw new Error(`a process exited without being killed, with ${child.exitCode ?? child.signalCode}`);
}
