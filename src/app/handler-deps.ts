import { sql } from 'kysely';
import { probeWrite } from '../billing/ledger/allowance.ts';
import { createCallWork, createFairCalls } from '../http/calls/run-route.ts';
import { createLoopShare, createPressure, createRequestLimit } from '../http/server/admission.ts';
import type { AppDeps } from '../http/server/app.ts';
import type { Draining } from '../http/server/connections.ts';
import { cacheFor } from '../platform/lazy.ts';
import { createMemoryReadings, watchMemory } from '../platform/memory-room.ts';
import { type LoopDelay, watchLoopDelay } from '../platform/metrics.ts';
import { probeFolder } from '../platform/store/private-files.ts';
import { checkClusterState, readRebuildState } from '../search/rebuild-state.ts';
import type { Composition } from './compose.ts';
import type { Billing } from './compose-billing.ts';
import type { Services } from './compose-services.ts';
import { buildConsoleDeps } from './console/compose-console.ts';
import { watchLoad } from './observe/watch-load.ts';

/** Minimum time between probes of the disk and the ledger, however often readiness is checked. */
const FRESH_MS = 5_000;

/** Selects what handlers may use: none of them sees the whole config or its secrets. */
export function buildHandlerDeps(
  composition: Composition,
  draining: Draining,
  loopDelay: LoopDelay = watchLoopDelay(),
): AppDeps {
  const { services, billing, site } = composition;
  const { config, clock, log, tracing, index } = services;
  const { sourceReadings } = services.recall;
  const { background, metrics, events } = billing;
  const { baseUrl, brand, trustProxy, exposure, metricsToken, adminToken, slowRequestMs } = config;
  const { publicUrls } = exposure;
  const calls = createFairCalls();
  const work = createCallWork(services.queues.stages);
  const memory = watchMemory(createMemoryReadings(config.memoryMaxMegabytes));
  const requestLimit = createRequestLimit(
    createPressure({ loopDelay, loopShare: createLoopShare(), memory }),
  );
  const { isOn: isDraining } = draining;
  const isShedding = (): boolean => requestLimit.isLowered() || work.isShedding();
  const { threadLoad: threads, searches } = services.queues;
  const requests = requestLimit.load;
  watchLoad(metrics, {
    requests,
    calls: calls.load,
    work: work.load,
    searches: searches.load,
    threads,
    memory,
    index,
    isDraining,
  });
  return {
    ...services.operations,
    forgettings: services.forgettings,
    ...pickBilling(composition),
    ...pickJobs(composition),
    fetchDocument: services.network.fetch,
    clock,
    log,
    tracing,
    background,
    metrics,
    sourceReadings,
    site,
    baseUrl,
    brand,
    trustProxy,
    exposure,
    metricsToken,
    adminToken,
    slowRequestMs,
    publicUrls,
    draining,
    loopDelay,
    calls,
    work,
    requestLimit,
    isShedding,
    rendersPages: config.rendering !== null,
    keepsVersions: config.keepsVersions,
    versions: services.versioning.versions,
    compareVersions: services.versioning.compareVersions,
    trackChanges: services.versioning.trackChanges,
    collectReads: services.versioning.collectReads,
    records: services.versioning.records,
    replayRecord: services.replayRecord,
    privateSites: services.privateSites,
    events,
    console: buildConsoleDeps(composition, { publicUrls, calls, loopDelay, isDraining }),
    sharedTools: services.sharing?.tools ?? null,
    ping: createReadiness({ config, store: services.store, ledgerStore: billing.ledgerStore, clock }),
    rebuildState: () => readRebuildState(index),
    clusterState: () => checkClusterState(index),
  };
}

function pickJobs({ jobs: parts, services }: Composition) {
  const { jobs, webhookSecretOf, checkWebhookUrl, monitoring } = parts;
  const { monitors, mayEmail } = monitoring;
  return {
    jobs,
    monitors,
    mayEmail,
    webhookSecretOf,
    checkWebhookUrl,
    checkUrl: services.network.checkUrl,
    addressFor: createAddressResolver(services.config.baseUrl),
  };
}

/** Resolves the service's URL for a caller; without a public URL, the one that the request was sent to. */
function createAddressResolver(baseUrl: string | null): AppDeps['addressFor'] {
  return ({ headers }) => baseUrl ?? `http://${headers.host ?? 'localhost'}`;
}

function pickBilling({ billing, payments, access, sandboxPage }: Composition) {
  const { idempotency, keys, balanceOf, autoReloads, usageOfDays, ownerSessions, accountUsage } = billing;
  const { appGrants } = billing;
  const { cards, sales, recover, checkouts, provider, inbox, sealing } = payments;
  const { meter, terms, isUnmetered } = access;
  return {
    idempotency,
    keys,
    ownerSessions,
    appGrants,
    accountUsage,
    cards,
    sales,
    recover,
    meter,
    terms,
    isUnmetered,
    balanceOf,
    autoReloads,
    usageOfDays,
    checkouts,
    sandboxPage,
    provider,
    inbox,
    findKey: (key: string) => keys.find(key),
    signTopUp: (keyId: string) => sealing.sign(keyId),
    signClient: (text: string) => sealing.sign(text),
    readClient: (signed: string) => sealing.verified(signed),
    readTopUp: (text: string) => sealing.verified(text),
  };
}

/** Creates the readiness check, which rejects when a store is down or takes no writes. It writes, because a full disk can still be read. */
export function createReadiness({
  config,
  store,
  ledgerStore,
  clock,
}: Pick<Services, 'config' | 'store' | 'clock'> & Pick<Billing, 'ledgerStore'>): () => Promise<void> {
  return cacheFor(FRESH_MS, clock, async () => {
    await Promise.all([
      sql`select 1`.execute(store),
      probeFolder(config.dataDir),
      ledgerStore.run(probeWrite, null),
    ]);
  });
}
