import cluster from 'node:cluster';
import type { FastifyInstance } from 'fastify';
import { answerProbesOnly } from '../http/server/admission.ts';
import {
  computeConnectionsMax,
  createDraining,
  type Draining,
  endOnSignals,
  listen,
  type RunningServer,
  readDescriptorLimit,
} from '../http/server/connections.ts';
import { collectGarbageOfStart } from '../platform/collect-garbage.ts';
import type { LoopDelay } from '../platform/metrics.ts';
import { watchSources } from '../recall/source-metrics.ts';
import { type Composition, compose } from './compose.ts';
import { type Config, ConfigError } from './config.ts';
import { describeCallers, listCallerWarnings } from './describe-callers.ts';
import { buildHandlerDeps } from './handler-deps.ts';
import { awaitBothStarted, createTeardown, type Teardown } from './teardown.ts';
import type { ServeOptions } from './workers/supervisor.ts';

/**
 * Serves in this process, or in several that share its port. Resolves once it takes requests. The process then ends on SIGTERM or
 * SIGINT. Throws ConfigError.
 */
export async function serve(config: Config, serving: ServeOptions): Promise<void> {
  if (serving.workers > 1) {
    const { serveWorkers } = await import('./workers/serve-workers.ts');
    return serveWorkers(config, serving);
  }
  return serveHere(config, serving);
}

async function serveHere(config: Config, serving: ServeOptions): Promise<void> {
  const teardown = createTeardown();
  await teardown.onFailure(async () => {
    const tracing = await startTracing(config);
    teardown.add(() => tracing?.close());
    const composing = compose(config, { tracing });
    // The routes and the framework are loaded while threads start.
    const [composition] = await awaitBothStarted(
      teardown,
      { starting: composing, end: ({ close }) => close() },
      { starting: loadApp(), end: () => {} },
    );
    const draining = createDraining();
    const app = await buildApp(await withCombinedMetrics(composition, teardown), draining);
    if (serving.role === 'crawl') answerProbesOnly(app);
    app.server.maxConnections = computeConnectionsMax(readDescriptorLimit());
    const listening = await listen(app, { ...config, draining }).catch((error: unknown) => {
      throw explainListenError(error, config);
    });
    composition.start(listening.address, serving);
    endOnSignals({ listening, log: composition.services.log, close: teardown.run });
    if (serving.greets) await greet(composition, listening);
    collectGarbageOfStart();
  });
}

/** Makes `/metrics` show the counts of all processes, if this is one of several. */
async function withCombinedMetrics(
  composition: Composition,
  teardown: Pick<Teardown, 'add'>,
): Promise<Composition> {
  if (!cluster.isWorker) return composition;
  const { shareMetrics } = await import('./workers/combined-metrics.ts');
  const { billing } = composition;
  const { text, end } = shareMetrics(billing.metrics);
  teardown.add(end);
  return { ...composition, billing: { ...billing, metrics: { ...billing.metrics, text } } };
}

/** Starts tracing; null without an address for traces. Throws ConfigError if they cannot be recorded. */
async function startTracing({ traces }: Config) {
  if (traces === null) return null;
  const { openTracing } = await import('../platform/tracing/open-tracing.ts');
  return openTracing(traces).catch((error: Error) => {
    throw new ConfigError(`OTEL_EXPORTER_OTLP_ENDPOINT: ${error.message}`, { cause: error });
  });
}

/** Builds the HTTP application over a composition. */
export async function buildApp(
  composition: Composition,
  draining: Draining,
  loopDelay?: LoopDelay,
): Promise<FastifyInstance> {
  const { createApp } = await loadApp();
  watchSources(composition.billing.metrics, composition.services.recall.sourceReadings);
  return createApp(buildHandlerDeps(composition, draining, loopDelay));
}

const loadApp = () => import('../http/server/app.ts');

function explainListenError(error: unknown, { host, port }: Config): unknown {
  switch ((error as NodeJS.ErrnoException).code) {
    case 'EADDRINUSE':
      return new ConfigError(
        `PORT: ${host}:${port} is in use by another process; choose another port, such as 8081`,
      );
    case 'EACCES':
      return new ConfigError(`PORT: ${port} needs more rights than this user has; choose one above 1023`);
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new ConfigError(`HOST: ${host} is not an address of this machine`);
    default:
      return error;
  }
}

async function greet({ services }: Composition, { address }: RunningServer): Promise<void> {
  const { index, config, log } = services;
  process.stdout.write(`Sanderling serves on ${address}\n`);
  for (const warning of listCallerWarnings(config)) log.warn(warning);
  // An index on a cluster may be down when the server starts; pages can still be read.
  const size = await index.size().catch((error: Error) => {
    log.warn(`Searches fail for now: ${error.message}`);
    return null;
  });
  if (size?.pages === 0 && index.rebuilding() === null) printFillHint(config, address);
  process.stdout.write(`Callers: ${describeCallers(config)}\n`);
  const { rendering } = config;
  process.stdout.write(`Rendering: ${rendering === null ? 'off (RENDER_URL is not set)' : rendering.url}\n`);
}

function printFillHint(config: Config, address: string): void {
  process.stdout.write(
    [
      `The local index is empty, so searches ${describeOtherSources(Object.keys(config.sources))}. Fill it by crawling a site:`,
      '  npm run sanderling -- crawl https://docs.example.org',
      `or by reading a page: ${address}/r/https://example.org/`,
      '',
    ].join('\n'),
  );
}

function describeOtherSources(sources: string[]): string {
  return sources.length === 0 ? 'find nothing yet' : `rely on other sources (${sources.join(', ')})`;
}
