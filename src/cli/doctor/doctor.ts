/**
 * The doctor checks an installation and says what to fix: settings, port, stores, disk, network, clock, payments, proxy and sources.
 * It repairs nothing, but opening the stores migrates them.
 */
import { statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describeLedgerPlace, openLedgerStoreOf } from '../../app/compose-billing.ts';
import { STRIPE_URL } from '../../app/compose-payments.ts';
import { createServices, type Services } from '../../app/compose-services.ts';
import { type Config, ConfigError, readConfig } from '../../app/config.ts';
import { describeCallers, listCallerWarnings } from '../../app/describe-callers.ts';
import { type EventTimes, listLastEvents } from '../../billing/payments/payment-inbox.ts';
import { isFreePort } from '../../http/server/connections.ts';
import { countEvicted } from '../../libraries/held/evicted-pages.ts';
import { formatKey, listLibraries } from '../../libraries/held/library-rows.ts';
import { DAY_MS, systemClock } from '../../platform/clock.ts';
import { isLoopback } from '../../platform/net/exposure.ts';
import { describeLedgerServer } from '../../platform/store/ledger/open-ledger-store.ts';
import type { LedgerStore } from '../../platform/store/ledger/procedure.ts';
import type { PrivateSites } from '../../sites/private-sites.ts';
import { printVerdict, toFailure, toOk, toWarning, type Verdict } from '../check-result.ts';
import { formatRebuildProgress, formatSize } from '../search.ts';
import { checkEgress } from './check-egress.ts';
import { checkModel } from './check-model.ts';
import { checkDisk } from './disk-growth.ts';
import { askRunningSources, buildSourceLines } from './doctor-sources.ts';
import {
  checkRendering,
  createProbe,
  judgeClock,
  type Probe,
  type ProbeAddress,
  probeSources,
} from './probes.ts';

/** Maximum delay of an event delivered by webhook; webhooks take seconds, polling up to five minutes. */
const BY_WEBHOOK_MS = 60_000;
const EVENTS = 20;

type Check = { name: string; run(): Promise<Verdict> };

const NODE_MAJOR_MIN = 24;
/** A public page that exists for tests like this. */
const PROBE_URL = 'https://example.com/';
const CLOCKS = 2;
const LIBRARIES_SHOWN = 5;
const INDEX_AGE_MAX_MS = 30 * DAY_MS;

/**
 * `sanderling doctor`: prints one line per check, with what to do, or all checks as JSON. Resolves to 1 if a check failed; warnings
 * do not count as failures.
 */
export async function runDoctor(
  environment: Record<string, string | undefined>,
  { json = false }: { json?: boolean } = {},
): Promise<number> {
  const checks: (Verdict & { name: string })[] = [];
  const report = async ({ name, run }: Check): Promise<void> => {
    const verdict = await run().catch((error: unknown) =>
      toFailure(error instanceof Error ? error.message : String(error)),
    );
    checks.push({ name, ...verdict });
    if (!json) printVerdict(name, verdict);
  };
  await runChecks(environment, report);
  const failures = checks.filter(({ mark }) => mark === 'failure').length;
  if (json) {
    const named = checks.map(({ name, mark, text }) => ({ name, status: mark, text }));
    process.stdout.write(`${JSON.stringify({ ok: failures === 0, checks: named }, null, 2)}\n`);
  } else
    process.stdout.write(
      failures === 0 ? 'No check failed.\n' : `${failures} ${failures === 1 ? 'check' : 'checks'} failed.\n`,
    );
  return failures === 0 ? 0 : 1;
}

async function runChecks(environment: Record<string, string | undefined>, report: Report): Promise<void> {
  await report({ name: 'Node', run: checkNode });
  const config = await readSettings(environment, report);
  if (config === null) return;
  const probe = createProbe(config, systemClock);
  try {
    const lastWrite = findIndexWriteTime(config.dataDir);
    const running = await askRunningSources(config);
    const outside = await probe.askPage(PROBE_URL);
    await report({ name: 'port', run: () => checkPort(config) });
    await report({ name: 'callers', run: async () => checkCallers(config) });
    await report({ name: 'ledger', run: () => checkLedgerStore(config) });
    const services = await openOrReport(config, report);
    if (services !== null) {
      await report({ name: 'index', run: () => checkIndex(services, lastWrite) });
      if ((await listLibraries(services.store)).length > 0)
        await report({ name: 'libraries', run: () => checkLibraries(services) });
      const { privateSites } = services;
      if (privateSites !== null)
        await report({ name: 'private sites', run: () => checkPrivateSites(privateSites, config) });
      await services.close();
      await report({ name: 'disk', run: async () => checkDisk(config.dataDir, systemClock.now()) });
    }
    await report({ name: 'egress', run: async () => checkEgress(config) });
    await report({ name: 'network', run: async () => judgeNetwork(outside) });
    await report({ name: 'rendering', run: () => checkRendering(config) });
    if (config.writer !== null) await report({ name: 'model', run: () => checkModel(config) });
    const provider = await probePayments(config, probe.ask);
    const sources = await Promise.all(selectClockSources(config).map(probe.ask));
    await report({ name: 'clock', run: async () => judgeClock([outside, ...provider, ...sources]) });
    await report({ name: 'payments', run: () => checkPaymentsOf(config, provider[0]) });
    await report({
      name: 'proxy',
      run: () => checkProxy(config, { isRunning: running !== null, ask: probe.ask }),
    });
    const probed = await probeSources(config, systemClock, probe.ask);
    for (const { name, ...verdict } of buildSourceLines(config, running, probed))
      await report({ name, run: async () => verdict });
  } finally {
    await probe.close();
  }
}

/** Probes Stripe's server without a key, to see whether it can be reached and what time it has; none without Stripe. */
async function probePayments({ payments, stripe }: Config, ask: ProbeAddress): Promise<Probe[]> {
  return payments === 'stripe' ? [await ask(stripe?.apiBase ?? STRIPE_URL)] : [];
}

/** Selects the addresses of sources that are asked for the time. */
function selectClockSources({ sources }: Config): string[] {
  return Object.values(sources)
    .slice(0, CLOCKS)
    .map(({ baseUrl }) => baseUrl);
}

async function checkPaymentsOf(config: Config, provider: Probe | undefined): Promise<Verdict> {
  const ledgerStore = await openLedgerStoreOf(config);
  try {
    return await checkPayments(config, { ledgerStore, now: systemClock.now(), provider });
  } finally {
    await ledgerStore.close();
  }
}

async function checkNode(): Promise<Verdict> {
  const major = Number(process.versions.node.split('.')[0]);
  if (major >= NODE_MAJOR_MIN) return toOk(process.versions.node);
  return toFailure(
    `${process.versions.node} is too old: start with npm run sanderling, which brings Node ${NODE_MAJOR_MIN}`,
  );
}

type Report = (check: Check) => Promise<void>;

async function readSettings(
  environment: Record<string, string | undefined>,
  report: Report,
): Promise<Config | null> {
  let config: Config | null = null;
  await report({
    name: 'settings',
    run: async () => {
      try {
        config = readConfig({ ...environment, LOG_LEVEL: 'silent' });
        return toOk(`data in ${resolve(config.dataDir)}`);
      } catch (error) {
        if (error instanceof ConfigError)
          return toFailure(`${error.message.replaceAll('\n', '; ')} (see .env.example)`);
        throw error;
      }
    },
  });
  return config;
}

async function checkPort({ host, port }: Config): Promise<Verdict> {
  if (await isFreePort(host, port)) return toOk(`${host}:${port} is free`);
  return toWarning(`${host}:${port} is in use: Sanderling may already be running there; otherwise set PORT`);
}

/** Checks who may call and who pays; warns if that is probably not intended. */
function checkCallers(config: Config): Verdict {
  const words = describeCallers(config);
  const warnings = listCallerWarnings(config);
  return warnings.length === 0 ? toOk(words) : toWarning(`${words}. ${warnings.join('. ')}`);
}

/** Checks whether the ledger can be opened, and names its store. Opening it migrates its tables. */
async function checkLedgerStore(config: Config): Promise<Verdict> {
  const ledgerStore = await openLedgerStoreOf(config).catch((error: Error) => error);
  if (ledgerStore instanceof Error) return toFailure(ledgerStore.message);
  try {
    const { name, weakness } = await describeLedgerServer(ledgerStore);
    const kept = `charges kept for ${config.ledgerDetailDays} days`;
    const text = `${name}, ${describeLedgerPlace(config)}`;
    return weakness === null ? toOk(`${text}, up to date, ${kept}`) : toWarning(`${text}: ${weakness}`);
  } finally {
    await ledgerStore.close();
  }
}

async function openOrReport(config: Config, report: Report): Promise<Services | null> {
  let services: Services | null = null;
  await report({
    name: 'store',
    run: async () => {
      services = await createServices(config);
      return toOk('opened, up to date');
    },
  });
  return services;
}

async function checkIndex({ config, index }: Services, lastWrite: number | null): Promise<Verdict> {
  const { engine, at } = index.place();
  const isFile = engine === 'sqlite';
  const problems = await index
    .problems()
    .catch((error: Error) => [`${at} does not answer (${findReason(error)})`]);
  if (problems.length > 0) {
    const advice = isFile ? 'sanderling index check says what to do' : 'see docs/scale.md';
    return toFailure(`${problems.join('; ')}: ${advice}`);
  }
  const rebuilding = index.rebuilding();
  if (rebuilding !== null) return toWarning(`being rebuilt: ${formatRebuildProgress(rebuilding)}`);
  const { pages, hosts } = await index.size();
  if (pages === 0) return toWarning('empty: fill it with sanderling crawl https://docs.example.org');
  const reads = config.indexReads ? '' : '; pages read for callers are left out (INDEX_READS=off)';
  const age = lastWrite === null ? 0 : systemClock.now() - lastWrite;
  if (!isFile) return toOk(`${formatSize({ pages, hosts })}, in OpenSearch at ${at}${reads}`);
  const text = `${formatSize({ pages, hosts })}, all tables agree; last written ${formatAge(age)} ago${reads}`;
  return age <= INDEX_AGE_MAX_MS
    ? toOk(text)
    : toWarning(`${text}: crawl again, or its pages are out of date`);
}

/** Warns of sign-in profiles whose credentials cannot be read any more. */
async function checkPrivateSites(sites: PrivateSites, { privateSites }: Config): Promise<Verdict> {
  const { profiles, unreadable } = await sites.count();
  if (unreadable > 0)
    return toWarning(
      `${unreadable} of ${profiles} sign-in profiles were sealed with another APP_SECRET and must be added again`,
    );
  return toOk(`PRIVATE_SITES=${privateSites}, sign-in profiles: ${profiles}`);
}

/** Warns of libraries of which searches find only a part. */
async function checkLibraries({ store, index }: Services): Promise<Verdict> {
  const held = (await listLibraries(store)).filter(({ state }) => state === 'held');
  const evicted = await countEvicted({ store, index });
  const lost = held.flatMap((row) => {
    const pages = evicted.get(row.id);
    return pages === undefined ? [] : [`${formatKey(row)} (${pages} of ${row.pages} pages)`];
  });
  if (lost.length === 0) return toOk(`${held.length} held, with all of their pages`);
  return toWarning(
    `the full index evicted ${lost.slice(0, LIBRARIES_SHOWN).join(', ')}${lost.length > LIBRARIES_SHOWN ? ' and others' : ''}: raise INDEX_BYTES_MAX, then run sanderling docs update and their names`,
  );
}

/** Returns the message of an error's cause, or its own if it has none. */
const findReason = ({ message, cause }: Error): string => (cause instanceof Error ? cause.message : message);

/** Finds when the index was last written; null if there is none. */
function findIndexWriteTime(dataDir: string): number | null {
  const times = ['index.db', 'index.db-wal'].flatMap((name) => {
    const found = statSync(join(resolve(dataDir), name), { throwIfNoEntry: false });
    return found === undefined || found.size === 0 ? [] : [found.mtimeMs];
  });
  return times.length === 0 ? null : Math.max(...times);
}

function judgeNetwork(probe: Probe): Verdict {
  if (!probe.ok)
    return toWarning(`${PROBE_URL} cannot be reached: ${probe.why}; public pages cannot be read`);
  return probe.status < 500
    ? toOk(`${PROBE_URL} answers`)
    : toWarning(`${PROBE_URL} answers ${probe.status}`);
}

/** Checks whether the public URL leads to this server, and whether TRUST_PROXY matches the proxies in front of it. */
export async function checkProxy(
  { baseUrl, host, trustProxy }: Pick<Config, 'baseUrl' | 'host' | 'trustProxy'>,
  { isRunning, ask }: { isRunning: boolean; ask(url: string): Promise<Probe> },
): Promise<Verdict> {
  if (baseUrl === null) {
    if (trustProxy === 0) return { mark: 'off', text: 'none: neither BASE_URL nor TRUST_PROXY is set' };
    return toWarning(`TRUST_PROXY is ${trustProxy}, but BASE_URL is not set: links name ${host}`);
  }
  const { hostname, protocol } = new URL(baseUrl);
  // The server itself speaks only http.
  const isProxied = protocol === 'https:' || (isLoopback(host) && !isLoopback(hostname));
  if (isProxied && trustProxy === 0)
    return toWarning(
      `${baseUrl} needs a proxy, but TRUST_PROXY is 0: all callers share one allowance of free requests; set it to the number of proxies`,
    );
  if (!isProxied && trustProxy > 0 && !isLoopback(hostname))
    return toWarning(
      `TRUST_PROXY is ${trustProxy}, but nothing says that there is a proxy: without one callers choose their own address`,
    );
  if (!isRunning)
    return toOk(`${baseUrl}, TRUST_PROXY ${trustProxy}; not asked, because no server runs here`);
  const probe = await ask(`${baseUrl}/healthz`);
  if (probe.ok && probe.status === 200) return toOk(`${baseUrl} answers, TRUST_PROXY ${trustProxy}`);
  return toWarning(
    `${baseUrl}/healthz ${probe.ok ? `answers ${probe.status}` : `cannot be reached from here: ${probe.why}`}`,
  );
}

/** Checks the mode of payments and, with Stripe, whether its server answers and its webhooks arrive. */
export async function checkPayments(
  config: Pick<Config, 'payments' | 'metering' | 'stripe' | 'baseUrl'>,
  { ledgerStore, now, provider }: { ledgerStore: LedgerStore; now: number; provider: Probe | undefined },
): Promise<Verdict> {
  if (config.payments === 'off')
    return {
      mark: 'off',
      text: config.metering ? 'nothing is sold: /buy answers 503 (PAYMENTS)' : 'not needed: METERING is off',
    };
  if (config.payments === 'sandbox') {
    const text = 'the sandbox: no money moves, and anyone who opens /buy gets credits (PAYMENTS)';
    const isPublic = config.baseUrl !== null && !isLoopback(new URL(config.baseUrl).hostname);
    return isPublic ? toWarning(text) : toOk(text);
  }
  if (provider?.ok === false) return toFailure(`Stripe cannot be reached: ${provider.why}`);
  const mode = config.stripe?.secretKey.includes('_live_') ? 'Stripe, live' : 'Stripe, test mode';
  return judgeWebhook(mode, await listLastEvents(ledgerStore, EVENTS), now);
}

/** Pure: infers from how soon the last events were handled whether webhooks delivered them. */
export function judgeWebhook(mode: string, events: readonly EventTimes[], now: number): Verdict {
  const [last] = events;
  if (last === undefined)
    return toOk(`${mode}; no event yet: buy a pack to see whether the webhook reaches this server`);
  const ago = `the last event is ${formatAge(now - last.createdAt)} old`;
  const soon = events.filter(
    ({ createdAt, handledAt }) => handledAt !== null && handledAt - createdAt <= BY_WEBHOOK_MS,
  );
  if (soon.length > 0) return toOk(`${mode}; ${ago}, and the webhook reaches this server`);
  return toWarning(
    `${mode}; ${ago}, and the last ${events.length} came late, by polling: Stripe does not reach {BASE_URL}/webhooks/stripe`,
  );
}

/** `5 minutes`, `3 hours`, `2 days`. */
function formatAge(ms: number): string {
  const [count, unit] =
    ms < 2 * 3_600_000
      ? [ms / 60_000, 'minute']
      : ms < 2 * DAY_MS
        ? [ms / 3_600_000, 'hour']
        : [ms / DAY_MS, 'day'];
  const whole = Math.max(0, Math.round(count));
  return `${whole} ${unit}${whole === 1 ? '' : 's'}`;
}
