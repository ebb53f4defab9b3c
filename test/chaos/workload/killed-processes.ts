import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';

/** Processes that are killed again and again, each replaced at once. */
export type Killing = {
  /** The arguments of node for a process. */
  command(place: number): { args: string[]; env?: Record<string, string> };
  processes: number;
  /** From the moment that all work, a process is killed about every so many milliseconds, until one of the bounds is reached. */
  everyMs: number;
  seconds: number;
  kills: number;
  /** Most processes answer up to so many calls before they are killed: also a slow machine then gets something done. */
  answersMax: number;
  /** How many calls a process has answered since its start. */
  done(place: number): number;
  /** A line that a process printed; the first one tells that it works. */
  onLine(line: string, place: number): void;
};

type Place = { child: ChildProcess; due: number; working: Promise<unknown>; ended: Promise<unknown> };

const HEAP_MB = 400;
const START_MS = 30_000;

/** Gives how many were killed. In the end all have been. Ends only what it started. */
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
      // Some are killed before they have done anything: while they start.
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
  throw new Error(`a process did not work ${START_MS} ms after its start`);
}

async function end({ child, ended }: Place): Promise<void> {
  const alive = child.exitCode === null && child.signalCode === null;
  child.kill('SIGKILL');
  await ended;
  if (!alive) throw new Error(`a process ended by itself, with ${child.exitCode ?? child.signalCode}`);
}
