import type { Clock } from '../../platform/clock.ts';
import type { KnownUrls } from '../frontier/known-urls.ts';
import type { Politeness } from '../visit/politeness.ts';
import { type ClaimedHost, HOST_LEASE_MS, type HostLease, type HostPace } from './host-rows.ts';

/** The hosts that this process holds; the most recently requested are last. */
export type HeldHosts = Pick<KnownUrls, 'pendingOf' | 'takePending'> & {
  /** Hosts with addresses to visit, whose leases have not expired; so a process that has slept requests no host that it has lost. */
  readable(): Iterable<string>;
  holds(host: string): boolean;
  hasVisited(host: string): boolean;
  size(): number;
  /** `at`: when the claim was sent, by this process's clock; the process may sleep before it gets the reply. */
  add(hosts: readonly ClaimedHost[], at: number): void;
  drop(hosts: readonly string[]): void;
  begun(host: string): void;
  ended(host: string): void;
  leasesOf(hosts: readonly string[]): HostLease[];
  paces(): HostPace[];
  /** Records the waiting addresses per host after a renewal sent at `at`. Hosts that were asked for but are not in `pending` are lost. */
  renewed(pending: ReadonlyMap<string, number>, at: { at: number; asked: readonly HostLease[] }): void;
  /** Drops those of `hosts` that are not in `held`. */
  keepOnly(hosts: readonly string[], held: ReadonlySet<string>): void;
  /**
   * Returns the hosts to release: those with nothing to read or given up, and those beyond `most`. No further page of the latter is
   * started, and each is returned once it has no page in progress.
   */
  spare(most: number): string[];
};

type HeldHost = {
  token: number;
  /** Waiting addresses including those in progress; and those in progress or unwritten. */
  pending: number;
  underWay: number;
  visited: boolean;
  leaseUntil: number;
  isLeaving: boolean;
};

/** Minimum remaining lease time for a request to begin. */
const MARGIN_MS = 1_000;

export function createHeldHosts({
  politeness,
  clock,
}: {
  politeness: Pick<Politeness, 'rest' | 'readyAt' | 'paceOf' | 'hasGivenUp' | 'restMs'>;
  clock: Clock;
}): HeldHosts {
  const hosts = new Map<string, HeldHost>();
  const countWaitingUrls = ({ pending, underWay }: HeldHost): number => Math.max(0, pending - underWay);
  const isReadable = (held: HeldHost | undefined): held is HeldHost =>
    held !== undefined && !held.isLeaving && held.leaseUntil > clock.now();
  const count = (host: string, more: number): void => {
    const held = hosts.get(host);
    if (held !== undefined) held.underWay = Math.max(0, held.underWay + more);
  };
  return {
    *readable() {
      for (const [host, held] of hosts) if (countWaitingUrls(held) > 0 && isReadable(held)) yield host;
    },
    holds: (host) => isReadable(hosts.get(host)),
    hasVisited: (host) => hosts.get(host)?.visited ?? false,
    pendingOf: (host) => countWaitingUrls(hosts.get(host) ?? NO_HOST),
    takePending(host, rows) {
      const held = hosts.get(host);
      // Inserting it again moves the host to the end of the line.
      if (held === undefined || rows < 0) return;
      hosts.delete(host);
      hosts.set(host, held);
    },
    begun: (host) => count(host, 1),
    ended: (host) => count(host, -1),
    paces: () =>
      [...hosts].map(([host, { token }]) => ({
        host,
        token,
        waitMs: politeness.restMs(host, clock.now()),
        paceMs: politeness.paceOf(host),
        givenUp: politeness.hasGivenUp(host),
      })),
    spare: (most) => selectSpareHosts(hosts, { most, hasGivenUp: politeness.hasGivenUp }),
    ...createHostLeases(hosts, { rest: politeness.rest, now: clock.now }),
  };
}

type Hosts = Map<string, HeldHost>;

function createHostLeases(
  hosts: Hosts,
  { rest, now }: { rest: Politeness['rest']; now: Clock['now'] },
): Pick<HeldHosts, 'size' | 'add' | 'drop' | 'leasesOf' | 'renewed' | 'keepOnly'> {
  const computeLeaseEnd = (at: number): number => at + HOST_LEASE_MS - MARGIN_MS;
  return {
    size: () => hosts.size,
    add(claimed, at) {
      for (const { host, token, pending, visited, waitMs } of claimed) {
        const lease = { token, leaseUntil: computeLeaseEnd(at), isLeaving: false };
        hosts.set(host, { ...lease, pending, visited, underWay: 0 });
        rest(host, now() + waitMs);
      }
    },
    drop(dropped) {
      for (const host of dropped) hosts.delete(host);
    },
    leasesOf: (asked) =>
      [...new Set(asked)].flatMap((host) => {
        const held = hosts.get(host);
        return held === undefined ? [] : [{ host, token: held.token }];
      }),
    renewed(pending, { at, asked }) {
      for (const { host, token } of asked) {
        const held = hosts.get(host);
        // The host may have been released and claimed again in the meantime.
        if (held?.token !== token) continue;
        const waits = pending.get(host);
        if (waits === undefined) hosts.delete(host);
        else Object.assign(held, { pending: waits, leaseUntil: computeLeaseEnd(at) });
      }
    },
    keepOnly(asked, held) {
      for (const host of asked) if (!held.has(host)) hosts.delete(host);
    },
  };
}

function selectSpareHosts(
  hosts: Hosts,
  { most, hasGivenUp }: { most: number; hasGivenUp: Politeness['hasGivenUp'] },
): string[] {
  for (const [host, held] of hosts)
    held.isLeaving ||= held.underWay === 0 && (held.pending === 0 || hasGivenUp(host));
  const staying = [...hosts.values()].filter(({ isLeaving }) => !isLeaving);
  // The least recently requested hosts.
  for (const held of staying.slice(0, Math.max(0, staying.length - most))) held.isLeaving = true;
  return [...hosts].flatMap(([host, held]) => (held.isLeaving && held.underWay === 0 ? [host] : []));
}

const NO_HOST: HeldHost = {
  token: 0,
  pending: 0,
  underWay: 0,
  visited: false,
  leaseUntil: 0,
  isLeaving: false,
};
