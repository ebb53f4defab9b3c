/** Where the time comes from, so that a test can move it. Milliseconds since the epoch, UTC. */
export type Clock = { now(): number };

export const systemClock: Clock = { now: () => Date.now() };
