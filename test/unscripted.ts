import assert from 'node:assert/strict';
import type { Meter } from '../src/billing/ledger/meter.ts';
import { Failure } from '../src/contract/errors.ts';
import type { Events } from '../src/contract/events.ts';
import type { Terms } from '../src/http/calls/operation.ts';
import { createCallWork, createFairCalls } from '../src/http/calls/run-route.ts';
import { createRequestLimit } from '../src/http/server/admission.ts';
import type { AppDeps } from '../src/http/server/app.ts';
import { createDraining } from '../src/http/server/connections.ts';
import { createWebsite, type Website } from '../src/http/site/shell/site.ts';
import { systemClock } from '../src/platform/clock.ts';
import { createLog } from '../src/platform/log.ts';
import type { LoopDelay } from '../src/platform/metrics.ts';
import { deriveExposure, type Exposure } from '../src/platform/net/exposure.ts';
import { renderMarkdown } from '../src/text/markup/markdown-html.ts';

/** Parts of an app of which nothing is scripted and nothing is charged. */
export function unscriptedDeps(): AppDeps {
  return {
    search: unscripted,
    contents: unscripted,
    similar: unscripted,
    libraries: {
      find: unscripted,
      choose: unscripted,
      places: unscripted,
      projects: unscripted,
    },
    searchDocs: unscripted,
    research: unscripted,
    read: unscripted,
    keepsVersions: false,
    versions: unscripted,
    compareVersions: { byBlock: unscripted, byLine: unscripted },
    trackChanges: { track: unscripted, trackGone: unscripted },
    records: unscripted,
    replayRecord: unscripted,
    collectReads: { collect: async (work) => ({ result: await work(), reads: [] }) },
    verify: unscripted,
    checkClaims: unscripted,
    writer: null,
    privateSites: null,
    markup: async (markdown, options) => renderMarkdown(markdown, options),
    rerank: unscripted,
    siteCrawl: unscripted,
    siteMap: unscripted,
    forget: unscripted,
    jobs: {
      start: unscripted,
      find: unscripted,
      documents: unscripted,
      unread: unscripted,
      running: unscripted,
      cancel: unscripted,
      counts: unscripted,
    },
    monitors: {
      create: unscripted,
      find: unscripted,
      list: unscripted,
      listAll: unscripted,
      change: unscripted,
      remove: unscripted,
      events: unscripted,
      feedTokenOf: (id) => `token-of-${id}`,
      findByFeedToken: unscripted,
    },
    mayEmail: null,
    checkUrl: anyAddress,
    webhookSecretOf: (owner) => owner,
    checkWebhookUrl: anyAddress,
    addressFor: ({ headers }) => `http://${headers.host}`,
    rendersPages: false,
    idempotency: { begin: unscripted },
    forgettings: { onForgotten() {}, notice: async () => 0 },
    balanceOf: unscripted,
    autoReloads: { of: unscripted, configure: unscripted },
    provider: { readEvent: () => assert.fail('not scripted') },
    inbox: { take: unscripted, handle: unscripted, open: unscripted },
    background: { run() {}, drain: async () => {} },
    signTopUp: (keyId) => keyId,
    readTopUp: () => null,
    usageOfDays: unscripted,
    checkouts: { open: unscripted, view: unscripted, configure: unscripted },
    sandboxPage: null,
    keys: UNSCRIPTED_KEYS,
    ownerSessions: { begin: unscripted, find: unscripted, end: unscripted, endAll: unscripted },
    appGrants: {
      begin: unscripted,
      exchange: unscripted,
      refresh: unscripted,
      find: unscripted,
      end: unscripted,
      ofAccount: unscripted,
      endOwn: unscripted,
    },
    signClient: (text) => text,
    readClient: () => null,
    fetchDocument: unscripted,
    accountUsage: { parts: unscripted, lastCharges: unscripted },
    cards: { remove: unscripted },
    sales: { of: unscripted, receiptOf: unscripted },
    recover: unscripted,
    metrics: { text: unscripted },
    sourceReadings: () => [],
    meter: unmetered,
    ping: async () => {},
    rebuildState: () => null,
    clusterState: () => null,
    findKey: async () => null,
    isUnmetered: () => false,
    terms: METERED,
    clock: systemClock,
    events: silentEvents,
    log: createLog('silent'),
    loopDelay: noDelay,
    draining: createDraining(),
    baseUrl: null,
    brand: 'service',
    site: siteWith(METERED),
    publicUrls: [],
    exposure: exposureOf({}),
    trustProxy: 0,
    calls: createFairCalls(),
    work: createCallWork([], () => 0),
    isShedding: () => false,
    requestLimit: createRequestLimit({ isHigh: () => false }),
    metricsToken: null,
    adminToken: null,
    console: null,
    tracing: null,
    slowRequestMs: null,
  };
}

/** The exposure of a metered server on loopback that reads no private networks, except as given. */
export const exposureOf = (given: Partial<Parameters<typeof deriveExposure>[0]>): Exposure =>
  deriveExposure({
    host: '127.0.0.1',
    baseUrl: null,
    siteUrl: null,
    allowedOrigins: [],
    fetchAllowPrivate: [],
    metering: true,
    ...given,
  });

/** Keys of which nothing is scripted. */
export const UNSCRIPTED_KEYS: AppDeps['keys'] = {
  find: unscripted,
  claimFree: unscripted,
  create: unscripted,
  addTo: unscripted,
  rotate: unscripted,
  endOldSecret: unscripted,
  describe: unscripted,
  revokeOwn: unscripted,
  ofAccount: unscripted,
  changeTerms: unscripted,
  grant: unscripted,
  revoke: unscripted,
  list: unscripted,
  show: unscripted,
};

/** The terms of a service that charges. */
export const METERED: Terms = { keylessPerDay: 25, freeKeys: true, sells: true };

/** The pages of a service that serves on these terms. */
export function siteWith(terms: Terms | null, pages: Record<string, string> = {}): Website {
  return createWebsite(
    { name: 'Sanderling', colour: null, logo: null, pages: new Map(Object.entries(pages)) },
    terms,
  );
}

/** A busy machine must not make a service under test refuse calls. */
export const noDelay: LoopDelay = { ms: () => 0, end() {} };

const unmetered: Meter = {
  beginCharge: async () => ({
    refuseIfKnown() {},
    hold: async ({ credits }) => credits,
    charge: async () => {},
    settle: async () => {},
    refund: async () => {},
    spendable: async () => 1,
    remaining: async () => 1,
    stated: (used) => used,
  }),
  remaining: async () => 1,
};

const silentEvents: Events = {
  requestEnded() {},
  stagesTimed() {},
  creditsHeld() {},
  creditsSettled() {},
  creditsRefunded() {},
  holdsExpired() {},
  paymentRequired() {},
  rateLimited() {},
  keyIssued() {},
  packSold() {},
  autoReloadFailed() {},
  paymentMismatch() {},
};

/** Every address that can be read may be fetched. */
function anyAddress(text: string): URL {
  const url = URL.parse(text);
  if (url === null) throw new Failure('url_not_allowed', 'this is no address');
  return url;
}

async function unscripted(): Promise<never> {
  throw new Error('this operation is not scripted');
}
