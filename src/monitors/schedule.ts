/**
 * When a monitor looks next. An interval counts from the check that was made, not from the one that was due, so that a server that was off
 * does not make up for what it missed. Cron words are read by the library; this file decides what is asked of it.
 */
import { Cron } from 'croner';
import { MONITORS } from '../contract/limits.ts';
import { DAY_MS } from '../platform/clock.ts';
import type { MonitorSchedule } from './monitor-types.ts';

const [MINUTE_MS, HOUR_MS] = [60_000, 3_600_000];
const UNITS: Record<string, number> = { m: MINUTE_MS, h: HOUR_MS, d: DAY_MS };

/** The first interval of a monitor that follows its page, and its bounds. */
export const ADAPTIVE_MS = { first: HOUR_MS, min: 15 * MINUTE_MS, max: 7 * DAY_MS } as const;
const FASTER = 0.5;
const SLOWER = 1.5;
/** A failed check is repeated after at least this time, doubled with each further failure up to a day. */
const RETRY_MS = 5 * MINUTE_MS;
const DOUBLINGS_MAX = 12;
/** Times that cron words name which are compared, so that no two of them are too close. */
const RUNS_LOOKED_AT = 10;

/**
 * Reads a schedule as people write it: `15m`, `2h`, `1d`, five cron words, or `adaptive`. Returns what is wrong with it where it cannot be
 * used.
 */
export function parseSchedule(
  text: string,
  { timeZone, now }: { timeZone: string; now: number },
): MonitorSchedule | string {
  const words = text.trim();
  if (words === 'adaptive') return { kind: 'adaptive' };
  const interval = /^(\d{1,4})\s*([mhd])$/.exec(words);
  if (interval !== null) {
    const ms = Number(interval[1]) * (UNITS[interval[2] ?? ''] ?? MINUTE_MS);
    if (ms < MONITORS.intervalMsMin) return `must be at least ${MONITORS.intervalMsMin / MINUTE_MS}m`;
    return ms > MONITORS.intervalMsMax
      ? `must be at most ${MONITORS.intervalMsMax / DAY_MS}d`
      : { kind: 'interval', ms };
  }
  return parseCron(words, { timeZone, now });
}

function parseCron(
  words: string,
  { timeZone, now }: { timeZone: string; now: number },
): MonitorSchedule | string {
  const wanted =
    'must be adaptive, an interval such as 15m, 2h or 1d, or five cron words such as 0 9 * * 1-5';
  if (words.split(/\s+/).length !== 5) return wanted;
  try {
    const cron = new Cron(words, { timezone: timeZone, paused: true });
    const runs = cron.nextRuns(RUNS_LOOKED_AT, new Date(now)).map((run) => run.getTime());
    if (runs.length === 0) return 'has cron words that name no time';
    const gaps = runs.slice(1).map((run, place) => run - (runs[place] ?? run));
    if (gaps.some((gap) => gap < MONITORS.intervalMsMin))
      return `must leave at least ${MONITORS.intervalMsMin / MINUTE_MS} minutes between two checks`;
    return { kind: 'cron', words, timeZone };
  } catch {
    return wanted;
  }
}

/** Writes a schedule as `parseSchedule` reads it. */
export function formatSchedule(schedule: MonitorSchedule): string {
  if (schedule.kind === 'adaptive') return 'adaptive';
  if (schedule.kind === 'cron') return schedule.words;
  const { ms } = schedule;
  if (ms % DAY_MS === 0) return `${ms / DAY_MS}d`;
  return ms % HOUR_MS === 0 ? `${ms / HOUR_MS}h` : `${ms / MINUTE_MS}m`;
}

/** What a check means for the next one. `failures`: how many failed in a row, this one included. */
type CheckedNow = { now: number; intervalMs: number; isChanged: boolean; failures: number };

/** Returns the time of the next check, and the interval of a schedule that follows its page. */
export function planNextCheck(
  schedule: MonitorSchedule,
  { now, intervalMs, isChanged, failures }: CheckedNow,
): { nextAt: number; intervalMs: number } {
  const adapted =
    schedule.kind === 'adaptive' && failures === 0 ? adaptInterval(intervalMs, isChanged) : intervalMs;
  const planned = planByWords(schedule, { now, intervalMs: adapted });
  const retryAt = now + Math.min(DAY_MS, RETRY_MS * 2 ** Math.min(failures, DOUBLINGS_MAX));
  return { nextAt: failures === 0 ? planned : Math.max(planned, retryAt), intervalMs: adapted };
}

function planByWords(
  schedule: MonitorSchedule,
  { now, intervalMs }: { now: number; intervalMs: number },
): number {
  if (schedule.kind !== 'cron') return now + (schedule.kind === 'interval' ? schedule.ms : intervalMs);
  const cron = new Cron(schedule.words, { timezone: schedule.timeZone, paused: true });
  // Without a next time, as for the 30th of February, the monitor looks once a day.
  return cron.nextRun(new Date(now))?.getTime() ?? now + DAY_MS;
}

function adaptInterval(intervalMs: number, isChanged: boolean): number {
  const next = Math.round(intervalMs * (isChanged ? FASTER : SLOWER));
  return Math.min(ADAPTIVE_MS.max, Math.max(ADAPTIVE_MS.min, next));
}
