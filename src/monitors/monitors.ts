/**
 * Pages, sites, feeds and searches that are watched for their owners: set up, list, change, delete, and read what was seen. The runner looks
 * at them when they are due, and the deliverer sends what it saw. A monitor belongs to the tenant that set it up; nobody else can see it, its
 * texts or its events.
 */
import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import { Failure } from '../contract/errors.ts';
import { MONITORS } from '../contract/limits.ts';
import type { Clock } from '../platform/clock.ts';
import type { MonitorStore } from '../platform/store/monitors/open-monitor-store.ts';
import type { Monitor, MonitorEvent, MonitorOrder } from './monitor-types.ts';
import { listEvents } from './rows/event-rows.ts';
import {
  countMonitors,
  deleteMonitor,
  findMonitor,
  insertMonitor,
  listMonitors,
  updateMonitor,
} from './rows/monitor-rows.ts';
import { ADAPTIVE_MS } from './schedule.ts';

type NewMonitor = { owner: string; keyId: string | null; order: MonitorOrder };

/** Monitors as their owners see them. */
export type Monitors = {
  /** Throws `Failure('rate_limited')` if the owner has too many, `Failure('overloaded')` if the server has. */
  create(wanted: NewMonitor): Promise<Monitor>;
  /** Null if there is no such monitor of this owner. */
  find(owner: string, id: string): Promise<Monitor | null>;
  list(owner: string): Promise<Monitor[]>;
  /** Lists the monitors of all owners, newest first, for the operator. */
  listAll(limit: number): Promise<Monitor[]>;
  /** Changes the order, pauses or resumes; `checksNow` makes it due. Resolves to null if there is no such monitor of this owner. */
  change(
    owner: string,
    id: string,
    wanted: { order?: MonitorOrder; state?: Monitor['state']; checksNow?: boolean },
  ): Promise<Monitor | null>;
  remove(owner: string, id: string): Promise<boolean>;
  /** Lists events of a monitor, newest first; those with a smaller number than `before` if it is given. */
  events(id: string, slice: { before: number | null; limit: number }): Promise<MonitorEvent[]>;
  /** Returns the token that lets programs without a key read the feeds of a monitor. */
  feedTokenOf(id: string): string;
  /** Null if there is no such monitor, or the token is not its own. */
  findByFeedToken(id: string, token: string): Promise<Monitor | null>;
};

const TOKEN_BYTES = 18;

export function createMonitors(deps: {
  store: MonitorStore;
  clock: Clock;
  appSecret: string;
  onCreated(): void;
}): Monitors {
  const { store, clock, onCreated } = deps;
  const { db } = store;
  const tokenKey = Buffer.from(hkdfSync('sha256', deps.appSecret, '', 'monitor feeds', 32));
  const feedTokenOf = (id: string): string =>
    createHmac('sha256', tokenKey).update(id).digest().subarray(0, TOKEN_BYTES).toString('base64url');
  const find = async (owner: string, id: string): Promise<Monitor | null> => {
    const monitor = await findMonitor(db, id);
    return monitor?.owner === owner ? monitor : null;
  };
  return {
    find,
    feedTokenOf,
    async create(wanted) {
      const id = `mon_${randomBytes(10).toString('hex')}`;
      await store.transaction(async (tx) => {
        const { own, all } = await countMonitors(tx, wanted.owner);
        if (own >= MONITORS.ownerMax)
          throw new Failure(
            'rate_limited',
            `You have ${own} monitors; delete one before you set up another.`,
          );
        if (all >= MONITORS.allMax)
          throw new Failure('overloaded', 'This server watches as many pages as it may.');
        const now = clock.now();
        const { owner, keyId, order } = wanted;
        await insertMonitor(tx, {
          id,
          owner,
          keyId,
          order,
          createdAt: now,
          nextAt: now,
          intervalMs: ADAPTIVE_MS.first,
        });
      });
      onCreated();
      const created = await find(wanted.owner, id);
      if (created === null) throw new Error('a monitor that was just written is not there');
      return created;
    },
    list: (owner) => listMonitors(db, { owner, limit: MONITORS.ownerMax }),
    listAll: (limit) => listMonitors(db, { owner: null, limit }),
    async change(owner, id, { order, state, checksNow }) {
      if ((await find(owner, id)) === null) return null;
      const isDue = checksNow === true || order !== undefined || state === 'active';
      await updateMonitor(db, id, {
        ...(order === undefined ? {} : { order }),
        ...(state === undefined ? {} : { state }),
        ...(isDue ? { nextAt: clock.now() } : {}),
      });
      if (isDue) onCreated();
      return find(owner, id);
    },
    async remove(owner, id) {
      return (await find(owner, id)) !== null && deleteMonitor(db, id);
    },
    events: (monitorId, { before, limit }) => listEvents(db, { monitorId, before, limit }),
    async findByFeedToken(id, token) {
      const [given, own] = [Buffer.from(token), Buffer.from(feedTokenOf(id))];
      return given.length === own.length && timingSafeEqual(given, own) ? findMonitor(db, id) : null;
    },
  };
}
