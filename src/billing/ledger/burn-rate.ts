import { DAY_MS, utcDay } from './day.ts';

const DAYS = 7;

/** The first of the seven UTC days, today included, that a burn rate is taken over. */
export function burnRateFrom(now: number): string {
  return utcDay(now - (DAYS - 1) * DAY_MS);
}

/** Credits used on those days -> credits a day on average, to a hundredth. A day without use counts as one. */
export function burnRatePerDay(creditsOfDays: number[]): number {
  const total = creditsOfDays.reduce((sum, credits) => sum + credits, 0);
  return Math.round((total / DAYS) * 100) / 100;
}
