/**
 * Composes the operator's console: its runs, action log, load of the day and ledger audits, and what its pages may use.
 * Without ADMIN_TOKEN there is no console, and nothing of it runs in the background.
 */
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { createAuditRunner } from '../../billing/audit/audit-runner.ts';
import { readPaymentOverview } from '../../billing/payments/payment-overview.ts';
import { createBackgroundCrawl } from '../../crawl/background/background-crawl.ts';
import type { BackgroundCrawl } from '../../crawl/background/crawl-types.ts';
import { createCrawlHelper } from '../../crawl/background/help-crawls.ts';
import { createPerformRun, listImportNames } from '../../crawl/runs/perform-run.ts';
import { createRuns, type OperatorRuns } from '../../crawl/runs/runs.ts';
import type { ConsoleDeps, ConsoleMoney } from '../../http/console/console-types.ts';
import { createActionLog } from '../../http/console/state/action-log.ts';
import { createLoadOfDay } from '../../http/console/state/load-of-day.ts';
import type { OpenPage } from '../../pages/open-page-types.ts';
import { type Background, runPeriodically } from '../../platform/background.ts';
import type { FairQueue } from '../../platform/fairness/fair-queue.ts';
import type { LoopDelay } from '../../platform/metrics.ts';
import type { CheckUrl } from '../../platform/net/fetch-types.ts';
import type { Billing } from '../compose-billing.ts';
import type { MonitorParts } from '../compose-monitors.ts';
import type { Payments } from '../compose-payments.ts';
import type { Services } from '../compose-services.ts';
import type { Teardown } from '../teardown.ts';

/** Tenant of the operator's crawls, which together get one fair share of pages and threads, like one caller. */
const OPERATOR = 'operator';

/** Parts of the operator's console besides services and billing. */
export type ConsoleParts = {
  runs: OperatorRuns;
  actions: ConsoleDeps['actions'];
  loadOfDay: ReturnType<typeof createLoadOfDay>;
  audit: ConsoleMoney['audit'];
};

/** The name of the folder of imports in the data folder. */
const IMPORT_FOLDER = 'import';
const LOOK_EVERY_MS = 2_000;
const REREAD_EVERY_MS = 5_000;

/** Composes the parts; nothing runs before `startConsole`. */
export function createConsoleParts(services: Services, teardown: Teardown): ConsoleParts {
  const { config, store, log, clock } = services;
  const audit = createAuditRunner({ place: config, clock, log });
  teardown.add(audit.close);
  const perform = createPerformRun({
    crawl: createOperatorCrawl(services),
    importPages: services.crawling.importPages,
    refresh: services.crawling.refresh,
    importFolder: resolveImportFolder(services),
  });
  const runs = createRuns({ store, perform, clock, log });
  teardown.add(runs.end);
  return {
    runs,
    audit,
    actions: createActionLog({ store, log, clock }),
    loadOfDay: createLoadOfDay(clock),
  };
}

const resolveImportFolder = ({ config }: Pick<Services, 'config'>): string =>
  join(config.dataDir, IMPORT_FOLDER);

/** Picks up waiting runs, and reads what other processes switched. The returned function stops it. */
export function startConsole(
  { runs }: ConsoleParts,
  { config, recall, background }: Pick<Services, 'config' | 'recall'> & { background: Background },
): () => void {
  return runPeriodically(background, [
    { name: 'read the switches of sources', ms: REREAD_EVERY_MS, work: recall.switches.reread },
    // Without a console nobody could stop a run.
    ...(config.adminToken === null
      ? []
      : [{ name: 'look for crawls to run', ms: LOOK_EVERY_MS, work: runs.tick }]),
  ]);
}

/** Settings without effect if calls are not metered; the console then does not mention money. */
const ABOUT_MONEY =
  /^(?:UNMETERED_NETWORKS|KEYLESS_PER_DAY|FREE_KEYS|PAYMENTS|STRIPE_\w+|LEDGER_DETAIL_DAYS)$/;

type ConsoleSources = {
  services: Omit<Services, 'close'>;
  billing: Pick<Billing, 'keys' | 'ledgerStore'>;
  payments: Pick<Payments, 'inbox' | 'reconciler'>;
  jobs: {
    jobs: ConsoleDeps['jobs'];
    monitoring: Pick<MonitorParts, 'monitors' | 'mayEmail'>;
    checkWebhookUrl: CheckUrl;
  };
  consoleParts: ConsoleParts;
  site: ConsoleDeps['site'];
};

/** Builds what the pages of the console may use; null without ADMIN_TOKEN. */
export function buildConsoleDeps(
  around: ConsoleSources,
  serving: {
    publicUrls: readonly string[];
    calls: FairQueue;
    loopDelay: LoopDelay;
    isDraining(): boolean;
  },
): ConsoleDeps | null {
  const { services, site, consoleParts, jobs: parts } = around;
  const { config, clock, index } = services;
  const { switches, sourceReadings } = services.recall;
  const token = config.adminToken;
  if (token === null) return null;
  const { runs, actions, loadOfDay } = consoleParts;
  const { publicUrls, calls, loopDelay, isDraining } = serving;
  const folder = resolveImportFolder(services);
  return {
    token,
    site,
    clock,
    publicUrls,
    actions,
    index,
    forget: services.operations.forget,
    runs,
    jobs: parts.jobs,
    monitors: parts.monitoring.monitors,
    monitorRules: {
      checkUrl: services.network.checkUrl,
      checkWebhookUrl: parts.checkWebhookUrl,
      mayEmail: parts.monitoring.mayEmail,
    },
    keepsVersions: config.keepsVersions,
    versions: services.versioning.versions,
    records: services.versioning.records,
    replayRecord: services.replayRecord,
    compareVersions: services.versioning.compareVersions,
    writer: services.operations.writer,
    loadOfDay,
    isDraining,
    sources: { readings: sourceReadings, set: switches.set },
    imports: { folder, names: () => listImportNames(folder) },
    money: config.metering ? buildConsoleMoney(around) : null,
    load() {
      const { rss, heapUsed } = process.memoryUsage();
      return {
        calls: calls.load(),
        threads: services.queues.threadLoad(),
        loopDelayMs: loopDelay.ms(),
        residentBytes: rss,
        heapBytes: heapUsed,
        upMs: performance.now(),
      };
    },
    settings: config.metering ? config.inForce : config.inForce.filter(({ name }) => !ABOUT_MONEY.test(name)),
  };
}

function buildConsoleMoney({ services, billing, payments, consoleParts }: ConsoleSources): ConsoleMoney {
  const { config, clock } = services;
  const { keys, ledgerStore } = billing;
  const { inbox, reconciler } = payments;
  return {
    keys,
    sells: config.payments !== 'off',
    payments: () => readPaymentOverview({ ledgerStore, clock }),
    retryEvent: inbox.handle,
    askProvider: reconciler.askProvider,
    audit: consoleParts.audit,
  };
}

/** Creates the crawl for the operator's console, and for processes that help with a crawl. */
function createOperatorCrawl(services: Services): BackgroundCrawl {
  const { log, clock, network, index, pages, crawling } = services;
  const { fetch, checkUrl, addressOf } = network;
  return createBackgroundCrawl({
    fetch,
    checkUrl,
    clock,
    readSitemapFile: pages.readSitemapFile,
    index,
    log,
    addressOf,
    frontiers: crawling.frontiers,
    openPage: assignToOperator(services.pages.openPage),
  });
}

function assignToOperator(openPage: OpenPage): OpenPage {
  return (url, options) => openPage(url, { ...options, tenant: OPERATOR });
}

/** Helps with crawls that other processes started, if there can be any. The returned function stops it. */
export function startCrawlHelp(services: Services, background: Background): () => Promise<void> {
  const { log } = services;
  const { frontiers } = services.crawling;
  if (frontiers.store.dialect === 'sqlite') return async () => {};
  const crawl = createOperatorCrawl(services);
  const helper = createCrawlHelper({
    frontiers,
    log,
    help: (order, signal) => crawl({ ...order, helps: true, signal }),
  });
  const stop = runPeriodically(background, [
    { name: 'look for crawls to help with', ms: LOOK_EVERY_MS, work: helper.tick },
  ]);
  return async () => {
    stop();
    await helper.end();
  };
}
