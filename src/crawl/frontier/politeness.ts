/** Request rates for one host, which also bound an address with all its hosts. Times in milliseconds. */
type PolitenessRules = {
  /** Maximum concurrent requests to one host. */
  perHostMax: number;
  /** Time between the starts of two requests to one host; longer if the host answers slowly. 0: as fast as it answers. */
  delayMs: number;
};

/** Spaces and counts requests per host and per address, and backs off when a host asks for it. */
export type Politeness = {
  /** Returns the earliest start of the next request; null while the host or its address is at its limit, or once the host was given up. */
  readyAt(host: string): number | null;
  started(host: string, now: number): void;
  ended(host: string): void;
  /**
   * Records the network address of a host; requests to all hosts of an address are spaced together from then on. Returns whether the
   * request that has just started may proceed: false while the address is at its limit.
   */
  located(host: string, address: string, now: number): boolean;
  /** The delay that robots.txt asks for; obeyed up to CRAWL_DELAY_MS_MAX. */
  askedDelay(host: string, delayMs: number): void;
  /** The host answered 429 or 503, with the delay it asked for. */
  pushedBack(host: string, now: number, retryAfterMs: number | null): void;
  /** `tookMs`: how long the answer took; absent if it came from a cache. */
  answered(host: string, tookMs?: number): void;
  hasGivenUp(host: string): boolean;
  /** Current milliseconds between the starts of two requests. */
  paceOf(host: string): number;
  /** Delays requests to the host until `until`, because another process has requested it. */
  rest(host: string, until: number): void;
  /** Milliseconds until a request to the host may start, regardless of requests in progress. */
  restMs(host: string, now: number): number;
};

const CRAWL_DELAY_MS_MAX = 30_000;
const BACK_OFF_MS_MIN = 2_000;
const BACK_OFF_MS_MAX = 120_000;
/** Consecutive push-backs after which a host is given up until the next run. */
const PUSH_BACKS_MAX = 6;
/** The delay as a share of the time that answers take: on average two requests are in progress. */
const SLOW_SHARE = 0.5;
const SLOW_DELAY_MS_MAX = 10_000;
/** Weight of the last answer in the smoothed time. */
const LAST_WEIGHT = 0.3;
/** Limits of an address with many hosts, as a multiple of the limits of one host. */
const ADDRESS_HOSTS = 4;

type HostState = {
  active: number;
  perHostMax: number;
  /** Earliest start of the next request. */
  readyAt: number;
  delayMs: number;
  /** Smoothed time of its answers. */
  answerMs: number;
  pushBacks: number;
  address: AddressState | null;
};

/** All hosts of one address. */
type AddressState = { active: number; readyAt: number };

/** Calls `rulesOf` once per host. `processes`: number of processes that request the same addresses; they share the limits equally. */
export function createPoliteness(
  rulesOf: (host: string) => PolitenessRules,
  processes: () => number = () => 1,
): Politeness {
  const countAddressHosts = (): number => Math.max(1, ADDRESS_HOSTS / processes());
  const hosts = new Map<string, HostState>();
  const addresses = new Map<string, AddressState>();
  const ensureHostState = (host: string): HostState => {
    const known = hosts.get(host);
    if (known !== undefined) return known;
    const { perHostMax, delayMs } = rulesOf(host);
    const state = { active: 0, readyAt: 0, delayMs, perHostMax, answerMs: 0, pushBacks: 0, address: null };
    hosts.set(host, state);
    return state;
  };
  return {
    readyAt(host) {
      const { active, perHostMax, readyAt, pushBacks, delayMs, address } = ensureHostState(host);
      if (active >= perHostMax || pushBacks >= PUSH_BACKS_MAX) return null;
      if (address === null || delayMs === 0) return readyAt;
      return address.active >= perHostMax * countAddressHosts() ? null : Math.max(readyAt, address.readyAt);
    },
    started(host, now) {
      const state = ensureHostState(host);
      const delayMs = computeDelay(state);
      state.active += 1;
      state.readyAt = Math.max(state.readyAt, now) + delayMs;
      if (state.address !== null) recordStart(state.address, now, delayMs / countAddressHosts());
    },
    ended(host) {
      const { address } = ensureHostState(host);
      ensureHostState(host).active -= 1;
      if (address !== null) address.active -= 1;
    },
    located(host, name, now) {
      const state = ensureHostState(host);
      if (state.address !== null) return true;
      const address = addresses.get(name) ?? { active: 0, readyAt: 0 };
      addresses.set(name, address);
      return assignAddress(state, address, { now, addressHosts: countAddressHosts() });
    },
    askedDelay(host, delayMs) {
      const state = ensureHostState(host);
      const asked = Math.min(delayMs, CRAWL_DELAY_MS_MAX);
      if (asked <= state.delayMs) return;
      state.readyAt += asked - state.delayMs;
      state.delayMs = asked;
    },
    pushedBack: (host, now, retryAfterMs) => applyBackOff(ensureHostState(host), now, retryAfterMs),
    answered(host, tookMs) {
      const state = ensureHostState(host);
      state.pushBacks = 0;
      if (tookMs !== undefined) state.answerMs += (tookMs - state.answerMs) * LAST_WEIGHT;
    },
    paceOf: (host) => computeDelay(ensureHostState(host)),
    rest: (host, until) => delayUntil(ensureHostState(host), until),
    restMs: (host, now) => Math.max(0, ensureHostState(host).readyAt - now),
    hasGivenUp: (host) => ensureHostState(host).pushBacks >= PUSH_BACKS_MAX,
  };
}

function delayUntil(state: HostState, until: number): void {
  state.readyAt = Math.max(state.readyAt, until);
}

/** Assigns a host to its address. Returns whether the request that has just started may proceed there. */
function assignAddress(
  state: HostState,
  address: AddressState,
  { now, addressHosts }: { now: number; addressHosts: number },
): boolean {
  state.address = address;
  const mayGoOn =
    state.delayMs === 0 || (address.active < state.perHostMax * addressHosts && address.readyAt <= now);
  // `ended` will count down each request in progress.
  address.active += state.active;
  if (mayGoOn) address.readyAt = Math.max(address.readyAt, now) + computeDelay(state) / addressHosts;
  return mayGoOn;
}

function applyBackOff(state: HostState, now: number, retryAfterMs: number | null): void {
  // Answers to concurrent requests count as one push-back.
  if (state.readyAt > now + state.delayMs && state.pushBacks > 0) return;
  const grown = BACK_OFF_MS_MIN * 2 ** state.pushBacks;
  state.pushBacks += 1;
  state.readyAt = Math.max(state.readyAt, now + Math.min(retryAfterMs ?? grown, BACK_OFF_MS_MAX));
}

function recordStart(address: AddressState, now: number, paceMs: number): void {
  address.active += 1;
  address.readyAt = Math.max(address.readyAt, now) + paceMs;
}

function computeDelay({ delayMs, answerMs }: HostState): number {
  if (delayMs === 0) return 0;
  return Math.max(delayMs, Math.min(answerMs * SLOW_SHARE, SLOW_DELAY_MS_MAX));
}
