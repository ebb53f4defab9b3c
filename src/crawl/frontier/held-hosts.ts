import type { Clock } from '../../platform/clock.ts';
import type { PendingCounts } from './host-queues.ts';
import { type ClaimedHost, HOST_LEASE_MS, type HostPace } from './host-rows.ts';
import type { Politeness } from './politeness.ts';

/** The hosts that this process holds; the most recently requested are last. */
export type HeldHosts = PendingCounts & {
  /** Hosts with addresses to visit, whose leases have not expired; so a process that has slept requests no host that it has lost. */
  readable(): Iterable<string>;
  has(host: string): boolean;
  /** Returns whether the host is held and its lease has not expired, so that no other process can have claimed it. */
  isLeased(host: string): boolean;
  /** Returns whether the host may be requested now. */
  isReadable(host: string): boolean;
  hasVisited(host: string): boolean;
  size(): number;
  /** `at`: when the claim was sent, by this process's clock; the process may sleep before it gets the reply. */
  add(hosts: readonly ClaimedHost[], at: number): void;
  drop(hosts: readonly string[]): void;
  paces(): HostPace[];
  /** Records a renewal of `asked` that was sent at `at`, and the waiting addresses of hosts. Those not renewed are lost. */
  renew(
    written: { renewed: readonly string[]; pending: ReadonlyMap<string, number> },
    sent: { at: number; asked: readonly HostPace[] },
  ): void;
  /**
   * Returns the hosts to release: those with nothing to read or given up, and those beyond `most`. No further page of the latter is
   * started, and each is returned once it has no page in progress.
   */
  listSpare(most: number): string[];
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
  politeness: Pick<Politeness, 'rest' | 'paceOf' | 'hasGivenUp' | 'restMs'>;
  clock: Clock;
}): HeldHosts {
  const hosts = new Map<string, HeldHost>();
  const computeLeaseEnd = (at: number): number => at + HOST_LEASE_MS - MARGIN_MS;
  const isLeased = (held: HeldHost | undefined): held is HeldHost =>
    held !== undefined && held.leaseUntil > clock.now();
  const isReadable = (held: HeldHost | undefined): boolean => isLeased(held) && !held.isLeaving;
  return {
    *readable() {
      for (const [host, held] of hosts) if (held.pending > held.underWay && isReadable(held)) yield host;
    },
    has: (host) => hosts.has(host),
    isLeased: (host) => isLeased(hosts.get(host)),
    isReadable: (host) => isReadable(hosts.get(host)),
    hasVisited: (host) => hosts.get(host)?.visited ?? false,
    size: () => hosts.size,
    pendingOf(host) {
      const held = hosts.get(host);
      return held === undefined ? 0 : Math.max(0, held.pending - held.underWay);
    },
    takePending(host, rows) {
      const held = hosts.get(host);
      if (held === undefined) return;
      held.underWay = Math.max(0, held.underWay + rows);
      if (rows < 0) return;
      // Inserting it again moves the host to the end of the line.
      hosts.delete(host);
      hosts.set(host, held);
    },
    add(claimed, at) {
      for (const { host, token, pending, visited, waitMs } of claimed) {
        const lease = { token, leaseUntil: computeLeaseEnd(at), isLeaving: false };
        hosts.set(host, Object.assign(lease, { pending, visited, underWay: 0 }));
        politeness.rest(host, clock.now() + waitMs);
      }
    },
    drop(dropped) {
      for (const host of dropped) hosts.delete(host);
    },
    paces: () =>
      [...hosts].map(([host, { token }]) => ({
        host,
        token,
        waitMs: politeness.restMs(host, clock.now()),
        paceMs: politeness.paceOf(host),
        isGivenUp: politeness.hasGivenUp(host),
      })),
    renew({ renewed, pending }, { at, asked }) {
      const isRenewed = new Set(renewed);
      for (const { host, token } of asked) {
        const held = hosts.get(host);
        // The host may have been released and claimed again in the meantime.
        if (held?.token !== token) continue;
        if (isRenewed.has(host)) held.leaseUntil = computeLeaseEnd(at);
        else hosts.delete(host);
      }
      for (const [host, waits] of pending) {
        const held = hosts.get(host);
        if (held !== undefined) held.pending = waits;
      }
    },
    listSpare(most) {
      for (const [host, held] of hosts)
        held.isLeaving ||= held.underWay === 0 && (held.pending === 0 || politeness.hasGivenUp(host));
      const staying = [...hosts.values()].filter(({ isLeaving }) => !isLeaving);
      // The least recently requested hosts.
      for (const held of staying.slice(0, Math.max(0, staying.length - most))) held.isLeaving = true;
      return [...hosts].flatMap(([host, held]) => (held.isLeaving && held.underWay === 0 ? [host] : []));
    },
  };
}
