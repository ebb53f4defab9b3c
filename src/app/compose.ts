import { type Meter, NO_METER } from '../billing/ledger/meter.ts';
import { createNetworkMatcher } from '../billing/ledger/networks.ts';
import type { SandboxPage } from '../billing/payments/providers/sandbox-types.ts';
import type { CallerRules } from '../http/calls/caller.ts';
import { createWebsite, type Website } from '../http/site/shell/site.ts';
import { systemClock } from '../platform/clock.ts';
import { createLog } from '../platform/log.ts';
import { type Billing, createBilling } from './compose-billing.ts';
import { startHostUpkeep, startRefresher } from './compose-index.ts';
import { createJobParts, type JobParts } from './compose-jobs.ts';
import {
  type ChosenProvider,
  choosePaymentProvider,
  createPayments,
  type Payments,
} from './compose-payments.ts';
import { createServices, type Outside, type Services } from './compose-services.ts';
import type { Config } from './config.ts';
import { type ConsoleParts, createConsoleParts, startConsole } from './console/compose-console.ts';
import { startCrawlHelp } from './console/operator-crawl.ts';
import { readBranding } from './read-look.ts';
import { awaitBothStarted, createCloser, createTeardown } from './teardown.ts';
import type { ServeOptions } from './workers/serving.ts';

/** Who may call, and what calls cost. */
type Access = Omit<CallerRules, 'findKey'> & { meter: Meter };

/** Everything that a server is made of. */
export type Composition = Omit<Services, 'close'> &
  Omit<Billing, 'close' | 'startHousekeeping' | 'meter'> &
  Payments &
  Omit<JobParts, 'close'> &
  Access & {
    consoleParts: ConsoleParts;
    /** Null where payments are real. */
    sandboxPage: SandboxPage | null;
    /** What every web page shows. */
    site: Website;
    /** Address of the web pages, without a slash at the end; known once the server listens. */
    siteUrl(): string;
    /** Takes the address the server listens on, and starts the periodic work that is this process's. */
    start(address: string, serving?: Pick<ServeOptions, 'role' | 'leads'>): void;
    /** Ends what was started, in reverse order. */
    close(): Promise<void>;
  };

/**
 * Composes a whole server. Commands that need less call the same functions: `createServices` (stores -> network -> workers -> pages ->
 * recall -> operations), `createBilling` (ledger -> meter -> keys), `createPayments` (provider -> checkouts -> purchases), `createJobParts` (jobs -> runner).
 * Throws ConfigError when a setting cannot be used; whatever was started by then is ended.
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
    const payments = createPayments(config, billing, { provider, clock, log, siteUrl: resolveSiteUrl });

    const consoleParts = createConsoleParts(services, teardown);

    const access = resolveAccess(config, billing);
    return {
      ...services,
      ...billing,
      ...payments,
      ...jobParts,
      ...access,
      consoleParts,
      site: createWebsite(look, access.terms),
      sandboxPage,
      siteUrl: resolveSiteUrl,
      start(address, { role, leads } = { role: 'all', leads: true }) {
        listeningAddress = address;
        if (config.metering) billing.startHousekeeping();
        if (role !== 'api') jobParts.jobRunner.start();
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

/** Decides once whether calls are metered, and for whom. */
export function resolveAccess(
  config: Pick<Config, 'metering' | 'keylessPerDay' | 'freeKeys' | 'payments' | 'unmeteredNetworks'>,
  { meter }: Pick<Billing, 'meter'>,
): Access {
  if (!config.metering) return { meter: NO_METER, terms: null, isUnmetered: () => true };
  const { keylessPerDay, freeKeys, payments, unmeteredNetworks } = config;
  const terms = { keylessPerDay, freeKeys, sells: payments !== 'off' };
  return { meter, terms, isUnmetered: createNetworkMatcher(unmeteredNetworks) };
}
