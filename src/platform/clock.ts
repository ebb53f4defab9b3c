/** The source of time, which tests replace. Milliseconds since the epoch. */
export type Clock = { now(): number };

export const systemClock: Clock = { now: () => Date.now() };

/**
 * A monotonic clock, for deadlines and leases within the process; its instants mean nothing by themselves. Whole milliseconds, as timers
 * and abort signals need them.
 */
export const steadyClock: Clock = { now: () => Math.floor(performance.now()) };
