import { setTimeout as timeout } from 'node:timers/promises';
import { createRobotsOfHosts } from '../crawl/robots/host-robots.ts';
import { isAllowed } from '../crawl/robots/robots.ts';
import { createEventDeliverer } from '../monitors/deliveries/deliver-events.ts';
import { createEmailSender } from '../monitors/deliveries/send-email.ts';
import { CHECK_MS, type ChargeCheck, createMonitorRunner } from '../monitors/monitor-runner.ts';
import { createMonitors, type Monitors } from '../monitors/monitors.ts';
import { createDeadlineSignal } from '../platform/clock.ts';
import type { GuardedFetch } from '../platform/net/fetch-types.ts';
import { type RepeatingTask, repeatWork } from '../platform/repeat-work.ts';
import type { MonitorStore } from '../platform/store/monitors/open-monitor-store.ts';
import type { Billing } from './compose-billing.ts';
import type { Services } from './compose-services.ts';
import type { Config } from './config.ts';

/** Everything that watches pages for their owners. */
export type MonitorParts = {
  monitors: Monitors;
  /** Decides whether a recipient may get emails; null: the operator has set no server for email. */
  mayEmail: ((to: string) => boolean) | null;
  /** Starts the checks and deliveries of this process. */
  start(): void;
  /** Ends them; checks that are under way are left to another process. */
  stop(): Promise<void>;
};

type MonitorDeps = Pick<Services, 'operations' | 'pages' | 'network' | 'clock' | 'log'> &
  Pick<Billing, 'chargeOnce'> & {
    store: MonitorStore;
    appSecret: string;
    webhookSecretOf(owner: string): string;
    /** Refuses URLs that no webhook may be sent to. */
    fetchWebhook: GuardedFetch;
  };

const LOOK_EVERY_MS = 1_000;
/** Route under which the owner of a key sees the charges of its monitors. */
const ENDPOINT = 'monitor';

export function composeMonitors(config: Pick<Config, 'smtp'>, deps: MonitorDeps): MonitorParts {
  const { store, clock, log, network, operations, pages, appSecret, webhookSecretOf } = deps;
  const { smtp } = config;
  const robotsOf = createRobotsOfHosts({ fetch: network.fetch, clock });
  const runner = createMonitorRunner({
    store,
    clock,
    log,
    openPage: pages.openPage,
    search: operations.search,
    siteMap: operations.siteMap,
    async mayFetch(url, signal) {
      const robots = await robotsOf(url, signal);
      return !robots.reached || isAllowed(robots.rules, url);
    },
    wait: async (ms, signal) => timeout(ms, undefined, { signal }),
    limit: (signal) => createDeadlineSignal(CHECK_MS, signal),
    charge: chargeChecks(deps.chargeOnce),
  });
  const deliverer = createEventDeliverer({
    store,
    clock,
    log,
    fetch: deps.fetchWebhook,
    sendEmail: smtp === null ? null : createEmailSender(smtp),
    secretOf: webhookSecretOf,
  });
  const stopping = new AbortController();
  const { signal } = stopping;
  let loops: RepeatingTask[] = [];
  const wake = (): void => {
    for (const loop of loops) loop.wake();
  };
  return {
    monitors: createMonitors({ store, clock, appSecret, onCreated: wake }),
    mayEmail: smtp === null ? null : createRecipientMatcher(smtp.recipients),
    start() {
      const onError = (err: unknown): void => log.warn({ err }, 'work on monitors failed');
      loops = [
        repeatWork(() => runner.startDueChecks(signal), { ms: LOOK_EVERY_MS, signal, onError }),
        repeatWork(() => deliverer.startDueDeliveries(signal), { ms: LOOK_EVERY_MS, signal, onError }),
      ];
    },
    async stop() {
      stopping.abort();
      await Promise.all(loops.map(({ done }) => done));
      await runner.idle();
      await deliverer.idle();
    },
  };
}

function chargeChecks(chargeOnce: Billing['chargeOnce']): ChargeCheck {
  return ({ keyId, reference, credits }) => chargeOnce({ keyId, reference, credits, endpoint: ENDPOINT });
}

/** Matches whole addresses, and the addresses of whole domains. */
function createRecipientMatcher(recipients: readonly string[]): (to: string) => boolean {
  const allowed = new Set(recipients.map((one) => one.replace(/^@/, '')));
  return (to) => {
    const address = to.toLowerCase();
    return allowed.has(address) || allowed.has(address.slice(address.lastIndexOf('@') + 1));
  };
}
