import type { FastifyInstance } from 'fastify';
import { createFairCalls } from '../http/calls/fair-calls.ts';
import { type AppDeps, createApp } from '../http/server/app.ts';
import { connectionsMax, descriptorLimit } from '../http/server/connections.ts';
import { createDraining, type Draining } from '../http/server/draining.ts';
import { endOnSignals } from '../http/server/end-on-signals.ts';
import { type Listening, listen } from '../http/server/listen.ts';
import { watchLoopDelay } from '../platform/loop-delay.ts';
import { watchSources } from '../recall/source-metrics.ts';
import { type Composition, compose } from './compose.ts';
import { type Config, ConfigError } from './config.ts';
import { createReadiness } from './handler-deps.ts';

/** Parts -> app -> listen; resolves once requests are taken. The process then ends on SIGTERM or SIGINT. Throws ConfigError. */
export async function serve(config: Config): Promise<void> {
  const parts = await compose(config);
  await startThreads(parts);
  const draining = createDraining();
  const app = await appOver(parts, draining);
  app.server.maxConnections = connectionsMax(descriptorLimit());
  const listening = await listen(app, { ...config, draining }).catch(async (error: unknown) => {
    await parts.close();
    throw explained(error, config);
  });
  parts.start(listening.address);
  endOnSignals({ listening, log: parts.log, close: () => parts.close() });
  await greet(parts, listening);
}

/** Once connections come in there may be no descriptors left for a thread. */
async function startThreads(parts: Composition): Promise<void> {
  try {
    await parts.startThreads();
  } catch (error) {
    await parts.close();
    throw new Error(
      `Sanderling cannot start its worker threads: ${error instanceof Error ? error.message : String(error)}`,
      { cause: error },
    );
  }
}

/** The faces over the real parts. */
export function appOver(parts: Composition, draining: Draining): Promise<FastifyInstance> {
  watchSources(parts.metrics, parts.sourceReadings);
  return createApp(handlerDepsOf(parts, draining));
}

/** What the handlers need, by name: no handler sees the settings as a whole, or a secret among them. */
export function handlerDepsOf(parts: Composition, draining: Draining): AppDeps {
  const { config } = parts;
  return {
    ...operationsOf(parts),
    ...billingOf(parts),
    ...{ clock: parts.clock, events: parts.events, log: parts.log, background: parts.background },
    ...{ metrics: parts.metrics, sourceReadings: parts.sourceReadings, siteUrl: parts.siteUrl },
    ...{ baseUrl: config.baseUrl, brand: config.brand, trustProxy: config.trustProxy },
    ...{ fetchAllowPrivate: config.fetchAllowPrivate, metricsToken: config.metricsToken },
    publicUrls: [config.baseUrl, config.siteUrl].filter((url) => url !== null),
    draining,
    loopDelay: watchLoopDelay(),
    calls: createFairCalls(),
    ping: createReadiness(parts),
  };
}

function operationsOf({
  search,
  contents,
  similar,
  research,
  read,
  verify,
  siteCrawl,
  siteMap,
}: Composition) {
  return { search, contents, similar, research, read, verify, siteCrawl, siteMap };
}

function billingOf(parts: Composition) {
  const { keys, meter, balanceOf, autoReloads, checkouts, sandboxPage, provider, inbox, usageOfDays } = parts;
  return {
    ...{ keys, meter, balanceOf, autoReloads, checkouts, sandboxPage, provider, inbox, usageOfDays },
    findKey: (key: string) => keys.find(key),
    signTopUp: (keyId: string) => parts.sealing.sign(keyId),
    readTopUp: (text: string) => parts.sealing.verified(text),
  };
}

function explained(error: unknown, { host, port }: Config): unknown {
  switch ((error as NodeJS.ErrnoException).code) {
    case 'EADDRINUSE':
      return new ConfigError(
        `PORT: ${host}:${port} is taken by another process; choose another, such as 8081`,
      );
    case 'EACCES':
      return new ConfigError(`PORT: ${port} may not be used by this user; choose one above 1023`);
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new ConfigError(`HOST: ${host} is no address of this machine`);
    default:
      return error;
  }
}

async function greet(parts: Composition, { address }: Listening): Promise<void> {
  const { index, config } = parts;
  process.stdout.write(`Sanderling serves on ${address}\n`);
  warnOfSandbox(parts);
  const { pages } = await index.size();
  if (pages > 0) return;
  process.stdout.write(
    [
      `The index is empty, so searches ${foundElsewhere(Object.keys(config.sources))}. Fill it with a site:`,
      '  npm run sanderling -- crawl https://docs.example.org',
      `or read a page, which is searchable from then on: ${address}/r/https://example.org/`,
      '',
    ].join('\n'),
  );
}

function foundElsewhere(sources: string[]): string {
  return sources.length === 0 ? 'find nothing yet' : `find only what others know (${sources.join(', ')})`;
}

/** Whoever has given the service a public address believes that it takes money. */
function warnOfSandbox({ sandboxPage, config, log }: Composition): void {
  if (sandboxPage === null) return;
  const what = 'payments are played by the built-in sandbox: no money moves, and anybody can get credits';
  if (config.baseUrl === null && config.siteUrl === null) log.info(what);
  else log.warn(`${what}. Set STRIPE_SECRET_KEY before you sell anything.`);
}
