/** The source of time, which tests replace. Milliseconds since the epoch. */
export type Clock = { now(): number };

export const systemClock: Clock = { now: () => Date.now() };

/**
 * A clock that nobody can set, for deadlines and leases of what is under way; its instants mean nothing by themselves. Whole milliseconds,
 * as timers and abort signals want them.
 */
export const steadyClock: Clock = { now: () => Math.floor(performance.now()) };
