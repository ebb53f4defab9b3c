/** How often one host may be requested. All times in milliseconds. */
type PolitenessRules = {
  /** Requests to one host at once. */
  perHostMax: number;
  /** Between the starts of two requests to one host. */
  delayMs: number;
};

/** Spaces and counts requests per host, and backs off when a host asks for it. */
export type Politeness = {
  /** When the next request to the host may start; null while it has `perHostMax`, or once it was given up. */
  readyAt(host: string): number | null;
  started(host: string, now: number): void;
  ended(host: string): void;
  /** The delay that robots.txt asks for; obeyed up to CRAWL_DELAY_MS_MAX. */
  askedDelay(host: string, delayMs: number): void;
  /** The host answered 429 or 503, with the delay it asked for. */
  pushedBack(host: string, now: number, retryAfterMs: number | null): void;
  answered(host: string): void;
  hasGivenUp(host: string): boolean;
  /** Milliseconds between the starts of two requests, as they are now. */
  paceOf(host: string): number;
};

const CRAWL_DELAY_MS_MAX = 30_000;
const BACK_OFF_MS_MIN = 2_000;
const BACK_OFF_MS_MAX = 120_000;
/** A host that pushes back this often without a good answer in between is given up until the next run. */
const PUSH_BACKS_MAX = 6;

type HostState = {
  active: number;
  /** Earliest start of the next request. */
  readyAt: number;
  delayMs: number;
  pushBacks: number;
};

/** Calls `rulesOf` once per host. */
export function createPoliteness(rulesOf: (host: string) => PolitenessRules): Politeness {
  const hosts = new Map<string, HostState & { perHostMax: number }>();
  const of = (host: string): HostState & { perHostMax: number } => {
    const known = hosts.get(host);
    if (known !== undefined) return known;
    const { perHostMax, delayMs } = rulesOf(host);
    const state = { active: 0, readyAt: 0, delayMs, perHostMax, pushBacks: 0 };
    hosts.set(host, state);
    return state;
  };
  return {
    readyAt(host) {
      const { active, perHostMax, readyAt, pushBacks } = of(host);
      return active >= perHostMax || pushBacks >= PUSH_BACKS_MAX ? null : readyAt;
    },
    started(host, now) {
      const state = of(host);
      state.active += 1;
      state.readyAt = Math.max(state.readyAt, now) + state.delayMs;
    },
    ended(host) {
      of(host).active -= 1;
    },
    askedDelay(host, delayMs) {
      const state = of(host);
      const asked = Math.min(delayMs, CRAWL_DELAY_MS_MAX);
      if (asked <= state.delayMs) return;
      state.readyAt += asked - state.delayMs;
      state.delayMs = asked;
    },
    pushedBack(host, now, retryAfterMs) {
      const state = of(host);
      // Answers to concurrent requests count as one push-back.
      if (state.readyAt > now + state.delayMs && state.pushBacks > 0) return;
      const grown = BACK_OFF_MS_MIN * 2 ** state.pushBacks;
      state.pushBacks += 1;
      state.readyAt = Math.max(state.readyAt, now + Math.min(retryAfterMs ?? grown, BACK_OFF_MS_MAX));
    },
    answered(host) {
      of(host).pushBacks = 0;
    },
    paceOf: (host) => of(host).delayMs,
    hasGivenUp: (host) => of(host).pushBacks >= PUSH_BACKS_MAX,
  };
}
