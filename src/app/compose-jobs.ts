import { resolve } from 'node:path';
import { PRICES } from '../billing/ledger/prices.ts';
import { formatFirecrawlEvent } from '../http/firecrawl/jobs/job-words.ts';
import { createReadForJob } from '../http/firecrawl/jobs/read-for-job.ts';
import type { ChargePages } from '../jobs/job-types.ts';
import { createJobs, type Jobs } from '../jobs/jobs.ts';
import { createJobRunner, type JobRunner } from '../jobs/runner.ts';
import { createWebhookSender } from '../jobs/webhooks/deliver.ts';
import { createWebhookSecrets } from '../jobs/webhooks/sign.ts';
import type { Log } from '../platform/log.ts';
import type { CheckUrl } from '../platform/net/fetch-types.ts';
import { createGuardedFetch } from '../platform/net/guarded-fetch.ts';
import { JOBS_FILE, type JobStore, openJobStore } from '../platform/store/jobs/open-job-store.ts';
import { openOrSetAside } from '../platform/store/set-aside.ts';
import type { Billing } from './compose-billing.ts';
import { resolveAppSecret } from './compose-payments.ts';
import type { Services } from './compose-services.ts';
import { type Config, ConfigError } from './config.ts';

/** Everything that works on asynchronous jobs. */
export type JobParts = {
  jobs: Jobs;
  jobRunner: JobRunner;
  webhookSecretOf(owner: string): string;
  /** Throws `Failure('url_not_allowed')` for a URL that no webhook may be sent to. */
  checkWebhookUrl: CheckUrl;
  /** Stops the work and closes the store. */
  close(): Promise<void>;
};

type JobDeps = Pick<Services, 'openAndIndex' | 'prune' | 'readSitemapFile' | 'network' | 'clock' | 'log'> &
  Pick<Billing, 'chargeOnce'>;

/** Composes jobs; their runner is not started. Throws ConfigError when the store cannot be used. */
export async function createJobParts(
  config: Pick<
    Config,
    'dataDir' | 'databaseUrl' | 'appSecret' | 'rendering' | 'webhookAllowPrivate' | 'dnsServers'
  >,
  { openAndIndex, prune, readSitemapFile, network, clock, log, chargeOnce }: JobDeps,
): Promise<JobParts> {
  const webhookSecretOf = createWebhookSecrets(resolveAppSecret(config));
  const store = await openStoreOf(config, log);
  const { fetch } = network;
  // What pages may be read from is not thereby open to events.
  const webhooks = createGuardedFetch({
    allowPrivate: config.webhookAllowPrivate,
    dnsServers: config.dnsServers,
  });
  const jobRunner = createJobRunner({
    store,
    clock,
    log,
    fetch,
    readSitemapFile,
    read: createReadForJob({ openPage: openAndIndex, prune, rendersPages: config.rendering !== null }),
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
  return {
    jobRunner,
    webhookSecretOf,
    checkWebhookUrl: webhooks.checkUrl,
    jobs: createJobs({ store, clock, onStarted: jobRunner.wake }),
    async close() {
      await jobRunner.stop();
      await webhooks.close();
      await store.close();
    },
  };
}

/** On SQLite a damaged file is moved aside: its jobs are lost, but no credits. */
async function openStoreOf(place: Pick<Config, 'dataDir' | 'databaseUrl'>, log: Log): Promise<JobStore> {
  const open = (): Promise<JobStore> => openJobStore(place);
  try {
    if (place.databaseUrl !== null) return await open();
    return await openOrSetAside(resolve(place.dataDir, JOBS_FILE), { open, log });
  } catch (cause) {
    const setting = place.databaseUrl === null ? 'DATA_DIR' : 'DATABASE_URL';
    const { message } = cause as Error;
    throw new ConfigError(`${setting}: the store of jobs cannot be used: ${message}`, { cause });
  }
}

/** How charges for the pages of crawls and batches are shown to the owner of a key. */
const JOBS = 'crawl or batch';

/** Pages of callers without a key, and of networks that are not metered, cost nothing. */
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
