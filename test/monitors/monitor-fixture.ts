import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFetchFailure } from '../../src/contract/errors.ts';
import { createEventDeliverer } from '../../src/monitors/deliveries/deliver-events.ts';
import { createMonitorRunner } from '../../src/monitors/monitor-runner.ts';
import type { MonitorOrder } from '../../src/monitors/monitor-types.ts';
import { createMonitors, type Monitors } from '../../src/monitors/monitors.ts';
import type { Page } from '../../src/pages/article.ts';
import { buildPlainArticle } from '../../src/pages/formats/plain-article.ts';
import { createLog } from '../../src/platform/log.ts';
import type { FetchRequest } from '../../src/platform/net/fetch-types.ts';
import { type MonitorStore, openMonitorStore } from '../../src/platform/store/monitors/open-monitor-store.ts';
import { type MovedClock, movedClock } from '../fixtures/moved-clock.ts';

/** The web that monitors look at: texts by address. A number is a status that the address answers with. */
export type WatchedWeb = Map<string, string | number>;

/** A process that checks monitors and delivers their events. */
type MonitorProcess = {
  /** Does what is due, until nothing is under way. */
  work(): Promise<void>;
  /** The process dies at the next step of this kind: nothing that follows in it reaches the store. */
  dieAt(step: 'charge' | 'write' | 'send'): void;
  hasDied(): boolean;
};

export type MonitorFixture = {
  store: MonitorStore;
  monitors: Monitors;
  clock: MovedClock;
  web: WatchedWeb;
  /** Requests in their order: the time and the address. */
  requests: { at: number; url: string }[];
  /** Addresses that were answered without a body, because they had not changed. */
  confirmed: number;
  /** Credits charged, by reference. */
  charged: Map<string, number>;
  credits: { left: number };
  /** What receivers accepted. */
  // biome-ignore lint/suspicious/noExplicitAny: a test reads events of any shape and asserts what it finds
  received: { url: string; id: string; json: any }[];
  /** Answers of receivers by URL; absent: 200. */
  statuses: Map<string, number>;
  listed: string[];
  results: { url: string; title: string }[];
  forbidden: Set<string>;
  startProcess(): MonitorProcess;
  watch(order: Partial<MonitorOrder>, keyId?: string | null, owner?: string): Promise<string>;
  close(): Promise<void>;
};

export const PAGE = 'https://site.example/page';
export const HOOK = 'https://hooks.example/in';

class Died extends Error {}

export async function openMonitorFixture(databaseUrl: string | null): Promise<MonitorFixture> {
  const dataDir = mkdtempSync(join(tmpdir(), 'sanderling-monitors-'));
  const store = await openMonitorStore({ dataDir, databaseUrl });
  await store.db.deleteFrom('monitor').execute();
  await store.db.deleteFrom('monitor_host').execute();
  const clock = movedClock();
  const monitors = createMonitors({ store, clock, appSecret: 'the secret of the service', onCreated() {} });
  const seen = new Map<string, string>();
  const fixture: MonitorFixture = {
    store,
    monitors,
    clock,
    web: new Map(),
    requests: [],
    confirmed: 0,
    charged: new Map(),
    credits: { left: Number.MAX_SAFE_INTEGER },
    received: [],
    statuses: new Map(),
    listed: [],
    results: [],
    forbidden: new Set(),
    startProcess: () => startProcess(fixture, seen),
    async watch(order, keyId = 'key-1', owner = 'ann') {
      const wanted: MonitorOrder = Object.assign(
        {
          name: null,
          target: { kind: 'page', url: PAGE },
          schedule: { kind: 'interval', ms: 3_600_000 },
          conditions: [],
          channels: [{ kind: 'webhook', url: HOOK, headers: {} }],
          keep: true,
        },
        order,
      );
      return (await monitors.create({ owner, keyId, order: wanted })).id;
    },
    async close() {
      await store.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
  return fixture;
}

function startProcess(fixture: MonitorFixture, seen: Map<string, string>): MonitorProcess {
  const { clock, web } = fixture;
  let fatal: 'charge' | 'write' | 'send' | null = null;
  let isDead = false;
  const step = (name: 'charge' | 'write' | 'send'): void => {
    if (fatal === name) isDead = true;
    if (isDead) throw new Died(name);
  };
  const store: MonitorStore = {
    dialect: fixture.store.dialect,
    db: fixture.store.db,
    transaction(work) {
      step('write');
      return fixture.store.transaction(work);
    },
    close: async () => {},
  };
  const log = createLog('silent');
  const openPage = async (url: string): Promise<Page> => {
    fixture.requests.push({ at: clock.now(), url });
    const given = web.get(url) ?? 404;
    if (typeof given === 'number')
      throw createFetchFailure('http_status', `the page answered ${given}`, { httpStatus: given });
    const isSame = seen.get(url) === given;
    if (isSame) fixture.confirmed += 1;
    seen.set(url, given);
    const kind = given.startsWith('feed:') ? 'feed' : 'html';
    const links = kind === 'feed' ? given.slice('feed:'.length).split(' ') : [];
    const article = buildPlainArticle(url, {
      kind,
      title: 'A page',
      markdown: given,
      rawChars: given.length,
      links,
    });
    return { article, fetchedAt: clock.now(), cache: isSame ? 'hit' : 'miss', privacy: null };
  };
  const runner = createMonitorRunner({
    store,
    clock,
    log,
    openPage,
    search: async () => ({ results: fixture.results }) as never,
    siteMap: async () => fixture.listed,
    mayFetch: async (url) => !fixture.forbidden.has(url),
    wait: async () => {},
    limit: (signal) => signal,
    async charge({ reference, credits }) {
      step('charge');
      const paid = fixture.charged.get(reference);
      if (paid !== undefined) return paid;
      const charged = Math.min(credits, fixture.credits.left);
      fixture.credits.left -= charged;
      fixture.charged.set(reference, charged);
      return charged;
    },
  });
  const deliverer = createEventDeliverer({
    store,
    clock,
    log,
    sendEmail: null,
    secretOf: () => 'whsec_c2VjcmV0',
    async fetch({ url, body = '', ownHeaders = {} }: FetchRequest) {
      const status = fixture.statuses.get(url) ?? 200;
      if (status < 300)
        fixture.received.push({ url, id: ownHeaders['webhook-id'] ?? '', json: JSON.parse(String(body)) });
      // The receiver has the event, and the process dies before it can note that.
      step('send');
      return { url, status, headers: {}, redirects: [], body: new Uint8Array() };
    },
  });
  const never = new AbortController().signal;
  return {
    dieAt(name) {
      fatal = name;
    },
    hasDied: () => isDead,
    async work() {
      await runner.startDueChecks(never);
      await runner.idle();
      await deliverer.startDueDeliveries(never);
      await deliverer.idle();
    },
  };
}
