/**
 * Composition root of the server: creates everything that lies outside the handlers (stores, network, threads, billing, payments, jobs) and
 * wires it together. What is started is ended in reverse order. It contains no logic of its own and serves nothing; see `serve.ts`.
 */
import { createNetworkMatcher } from '../billing/ledger/address-prefixes.ts';
import { type Meter, NO_METER } from '../billing/ledger/meter.ts';
import { PRICES } from '../billing/ledger/prices.ts';
import type { SandboxPage } from '../billing/payments/providers/sandbox-objects.ts';
import type { CallerRules } from '../http/calls/caller.ts';
import { createReadForJob, formatFirecrawlEvent } from '../http/compat/firecrawl-jobs.ts';
import { createWebsite, type Website } from '../http/site/shell/site.ts';
import type { ChargePages } from '../jobs/job-types.ts';
import { createJobs, type Jobs } from '../jobs/jobs.ts';
import { createJobRunner, type JobRunner } from '../jobs/runner.ts';
import { createWebhookSender } from '../jobs/webhooks/deliver.ts';
import { createWebhookSecrets } from '../jobs/webhooks/webhook-signature.ts';
import { runPeriodically } from '../platform/background.ts';
import { systemClock } from '../platform/clock.ts';
import { createLog } from '../platform/log.ts';
import type { CheckUrl } from '../platform/net/fetch-types.ts';
import { createGuardedFetch } from '../platform/net/guarded-fetch.ts';
import { JOBS_FILE, openJobStore } from '../platform/store/jobs/open-job-store.ts';
import { type Billing, createBilling } from './compose-billing.ts';
import { startHostUpkeep, startRefresher } from './compose-index.ts';
import { composeMonitors, type MonitorParts } from './compose-monitors.ts';
import {
  type ChosenProvider,
  choosePaymentProvider,
  createPayments,
  type Payments,
  resolveAppSecret,
} from './compose-payments.ts';
import { createServices, type Outside, type Services } from './compose-services.ts';
import type { Config } from './config.ts';
import {
  type ConsoleParts,
  createConsoleParts,
  startConsole,
  startCrawlHelp,
} from './console/compose-console.ts';
import { openTables } from './open-tables.ts';
import { readBranding } from './read-branding.ts';
import { awaitBothStarted, createCloser, createTeardown } from './teardown.ts';
import type { ServeOptions } from './workers/supervisor.ts';

/** Route under which the owner of a key sees charges for crawls and batches. */
const JOBS = 'crawl or batch';
/** Time between deletions of calls that can no longer be repeated. */
const TRIM_EVERY_MS = 60_000;

/** The rules for callers, and the meter that charges their calls. */
type Access = Omit<CallerRules, 'findKey'> & { meter: Meter };

/** All parts of a server, by subject. */
export type Composition = {
  services: Omit<Services, 'close'>;
  billing: Omit<Billing, 'close' | 'startHousekeeping'>;
  payments: Payments;
  jobs: Omit<JobParts, 'close'>;
  access: Access;
  consoleParts: ConsoleParts;
  /** Null where payments are real. */
  sandboxPage: SandboxPage | null;
  /** The parts that all web pages share. */
  site: Website;
  /** Returns the base URL of the web pages, without a trailing slash; known once the server listens. */
  siteUrl(): string;
  /** Takes the listening address, and starts the periodic work of this process. */
  start(address: string, serving?: Pick<ServeOptions, 'role' | 'leads'>): void;
  /** Ends what was started, in reverse order. */
  close(): Promise<void>;
};

/**
 * Composes a whole server. Commands that need less call the same functions: `createServices` (stores -> network -> workers -> pages ->
 * recall -> operations), `createBilling` (ledger -> meter -> keys), `createPayments` (provider -> checkouts -> purchases),
 * `createJobParts` (jobs -> runner).
 * Throws ConfigError when a setting cannot be used; what was already started is ended.
 */
export function compose(
  config: Config,
  outside: Outside & { provider?: ChosenProvider } = {},
): Promise<Composition> {
  const teardown = createTeardown();
  return teardown.onFailure(async () => {
    const look = readBranding(config);
    const { clock = systemClock, log = createLog(config.logLevel), tracing = null } = outside;
    // Both wait for threads to start.
    const [services, billing] = await awaitBothStarted(
      teardown,
      { starting: createServices(config, { ...outside, clock, log }), end: ({ close }) => close() },
      { starting: createBilling(config, { clock, log, tracing }), end: ({ close }) => close() },
    );
    const { ledgerStore, background } = billing;

    let listeningAddress = '';
    const resolveSiteUrl = (): string => config.siteUrl ?? config.baseUrl ?? listeningAddress;
    const { provider, sandboxPage } =
      outside.provider ??
      (await choosePaymentProvider(config, { ledgerStore, clock, siteUrl: resolveSiteUrl }));
    const { close: closeJobs, ...jobParts } = await createJobParts(config, { ...services, ...billing });
    teardown.add(closeJobs);
    services.forgettings.onForgotten(() =>
      background.run('drop responses with forgotten pages', billing.idempotency.dropResponses),
    );
    const payments = createPayments(config, billing, { provider, clock, log, siteUrl: resolveSiteUrl });

    const consoleParts = createConsoleParts(services, teardown);

    const access = resolveAccess(config, billing);
    return {
      services,
      billing,
      payments,
      jobs: jobParts,
      access,
      consoleParts,
      site: createWebsite(look, access.terms),
      sandboxPage,
      siteUrl: resolveSiteUrl,
      start(address, { role, leads } = { role: 'all', leads: true }) {
        listeningAddress = address;
        if (config.metering) billing.startHousekeeping();
        teardown.add(
          runPeriodically(background, [
            { name: 'forget repeatable calls', ms: TRIM_EVERY_MS, work: () => billing.idempotency.trim() },
          ]),
        );
        if (role !== 'api') {
          jobParts.jobRunner.start();
          jobParts.monitoring.start();
        }
        if (config.payments !== 'off') teardown.add(payments.reconciler.start(background));
        if (role !== 'api') teardown.add(startCrawlHelp(services, background));
        if (role !== 'api' && leads) {
          teardown.add(startRefresher(services, background));
          teardown.add(startHostUpkeep(services, background));
        }
        teardown.add(startConsole(consoleParts, { ...services, background }));
      },
      close: createCloser(services.index, teardown),
    };
  });
}

/** Decides once whether calls are metered, and which callers are exempt. */
export function resolveAccess(
  config: Pick<Config, 'metering' | 'keylessPerDay' | 'freeKeys' | 'payments' | 'unmeteredNetworks'>,
  { meter }: Pick<Billing, 'meter'>,
): Access {
  if (!config.metering) return { meter: NO_METER, terms: null, isUnmetered: () => true };
  const { keylessPerDay, freeKeys, payments, unmeteredNetworks } = config;
  const terms = { keylessPerDay, freeKeys, sells: payments !== 'off' };
  return { meter, terms, isUnmetered: createNetworkMatcher(unmeteredNetworks) };
}

/** Everything that works on asynchronous jobs. */
type JobParts = {
  jobs: Jobs;
  jobRunner: JobRunner;
  /** The monitors, whose checks are not started. */
  monitoring: MonitorParts;
  webhookSecretOf(owner: string): string;
  /** Throws `Failure('url_not_allowed')` for a URL that no webhook may be sent to. */
  checkWebhookUrl: CheckUrl;
  /** Stops the work and closes the store. */
  close(): Promise<void>;
};

type JobDeps = Pick<
  Services,
  'operations' | 'pages' | 'network' | 'versioning' | 'monitorTables' | 'clock' | 'log'
> &
  Pick<Billing, 'chargeOnce'>;

/** Composes jobs; their runner is not started. Throws ConfigError when the store cannot be used. */
async function createJobParts(
  config: Pick<
    Config,
    | 'dataDir'
    | 'databaseUrl'
    | 'appSecret'
    | 'rendering'
    | 'webhookAllowPrivate'
    | 'dnsServers'
    | 'egress'
    | 'smtp'
  >,
  { pages, network, versioning, clock, log, chargeOnce, operations, monitorTables }: JobDeps,
): Promise<JobParts> {
  const { openAndIndex, prune, readSitemapFile } = pages;
  const appSecret = resolveAppSecret(config);
  const webhookSecretOf = createWebhookSecrets(appSecret);
  const store = await openTables(config, { what: 'jobs', file: JOBS_FILE, open: openJobStore }, log);
  const { fetch } = network;
  // Networks allowed for reading pages are not thereby allowed for webhooks.
  const webhooks = createGuardedFetch({
    allowPrivate: config.webhookAllowPrivate,
    dnsServers: config.dnsServers,
    egress: config.egress,
  });
  const jobRunner = createJobRunner({
    store,
    clock,
    log,
    fetch,
    readSitemapFile,
    read: createReadForJob({
      openPage: openAndIndex,
      prune,
      trackChanges: versioning.trackChanges,
      clock,
      rendersPages: config.rendering !== null,
    }),
    charge: chargePages(chargeOnce),
    deliver: createWebhookSender({
      store,
      clock,
      log,
      fetch: webhooks.fetch,
      word: formatFirecrawlEvent,
      secretOf: webhookSecretOf,
    }),
  });
  const monitoring = composeMonitors(config, {
    store: await monitorTables(),
    clock,
    log,
    operations,
    pages,
    network,
    chargeOnce,
    appSecret,
    webhookSecretOf,
    fetchWebhook: webhooks.fetch,
  });
  return {
    jobRunner,
    monitoring,
    webhookSecretOf,
    checkWebhookUrl: webhooks.checkUrl,
    jobs: createJobs({ store, clock, onStarted: jobRunner.wake }),
    async close() {
      await Promise.all([jobRunner.stop(), monitoring.stop()]);
      await webhooks.close();
      await store.close();
    },
  };
}

/** Charges pages of jobs. Pages of callers without a key, and from unmetered networks, cost nothing. */
function chargePages(chargeOnce: Billing['chargeOnce']): ChargePages {
  return async ({ keyId, reference, pages }) => {
    if (keyId === null) return { paid: pages, credits: 0 };
    const credits = await chargeOnce({
      keyId,
      reference,
      credits: pages * PRICES.crawlPerPage,
      endpoint: JOBS,
    });
    return { paid: Math.floor(credits / PRICES.crawlPerPage), credits };
  };
}
