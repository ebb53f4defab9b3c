/**
 * Tracing: spans around requests and around calls of a part. Where tracing is off it is null and nothing is wrapped. OpenTelemetry itself is
 * loaded only where traces are on.
 */
import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Context, ContextManager, Span, Tracer } from '@opentelemetry/api';
import { Failure } from '../../contract/errors.ts';
import { VERSION } from '../../contract/version.ts';

/** Destination and sampling of traces. */
export type TraceSettings = {
  /** Full address of an OTLP receiver (HTTP, JSON), such as http://127.0.0.1:4318/v1/traces. */
  readonly url: string;
  /** Headers sent with each batch, such as a key. */
  readonly headers: Readonly<Record<string, string>>;
  readonly serviceName: string;
  /** The share of requests that are traced, from 0 to 1. */
  readonly share: number;
};

/** Bounds of export batches. Spans that cannot be sent in time are dropped; requests never wait for a receiver. */
const BATCH = { maxQueueSize: 4_096, maxExportBatchSize: 512, scheduledDelayMillis: 2_000 };
const EXPORT_MS = 5_000;

/** Manifest of the tracing libraries; a clone with development dependencies already has them. */
const LOCKED = join(import.meta.dirname, '../../../runtime/telemetry/package.json');

/**
 * Starts recording with OpenTelemetry's own libraries, which nothing else loads. Throws an error that says how to install them.
 * `close` sends the remaining spans.
 */
export async function openTracing(settings: TraceSettings): Promise<Tracing & { close(): Promise<void> }> {
  const libraries = await loadLibraries();
  const { api, sdk, resources, exporters, contexts } = libraries;
  const { share } = settings;
  const provider = new sdk.TracerProvider({
    // Callers may continue their traces here, but do not decide the sampling.
    sampler: new sdk.TraceIdRatioBasedSampler(share),
    resource: resources.resourceFromAttributes({
      'service.name': settings.serviceName,
      'service.version': VERSION,
      'service.instance.id': randomUUID(),
    }),
    spanProcessors: [
      new sdk.BatchSpanProcessor({
        ...BATCH,
        exportTimeoutMillis: EXPORT_MS,
        exporter: new exporters.OTLPTraceExporter({
          url: settings.url,
          headers: { ...settings.headers },
          timeoutMillis: EXPORT_MS,
        }),
      }),
    ],
  });
  const manager = new contexts.AsyncLocalStorageContextManager().enable();
  const tracer = provider.getTracer('sanderling', VERSION);
  return {
    ...createRecorder({ api, tracer, manager, parentOf: createParentOf(libraries) }),
    async close() {
      // An unreachable receiver at shutdown is not a failure of the service.
      await provider.shutdown().catch(() => {});
      manager.disable();
    },
  };
}

type RecorderDeps = {
  api: Libraries['api'];
  tracer: Tracer;
  /** Follows a request through its awaits. Not the global one, so that two servers in one process do not share it. */
  manager: ContextManager;
  parentOf(headers: TracedRequest['headers']): Context;
};

function createRecorder({ api, tracer, manager, parentOf }: RecorderDeps): Tracing {
  const runInSpan = <Result>(span: Span, parent: Context, work: () => Promise<Result>): Promise<Result> =>
    manager.with(api.trace.setSpan(parent, span), async () => {
      try {
        return await work();
      } catch (error) {
        span.setStatus({ code: api.SpanStatusCode.ERROR, message: toErrorCode(error) });
        throw error;
      } finally {
        span.end();
      }
    });
  /** Returns the context of the current span; undefined outside a request. */
  const findActiveContext = (): Context | undefined =>
    api.trace.getSpan(manager.active()) === undefined ? undefined : manager.active();
  return {
    request({ name, headers, attributes }, work) {
      const parent = parentOf(headers);
      return runInSpan(
        tracer.startSpan(name, { kind: api.SpanKind.SERVER, attributes }, parent),
        parent,
        work,
      );
    },
    span(name, work) {
      const parent = findActiveContext();
      return parent === undefined ? work() : runInSpan(tracer.startSpan(name, {}, parent), parent, work);
    },
    ended(name: string, ms: number, attributes: SpanAttributes) {
      const parent = findActiveContext();
      if (parent === undefined) return;
      const now = Date.now();
      tracer.startSpan(name, { startTime: now - ms, attributes }, parent).end(now);
    },
  };
}

/** Returns the error code, because messages may contain input. */
function toErrorCode(error: unknown): string {
  return error instanceof Failure ? error.code : 'internal_error';
}

/** Reads the parent span from headers: https://www.w3.org/TR/trace-context/ */
function createParentOf({ api, core }: Libraries): RecorderDeps['parentOf'] {
  const propagator = new core.W3CTraceContextPropagator();
  const getter = {
    keys: (carrier: TracedRequest['headers']) => Object.keys(carrier),
    get: (carrier: TracedRequest['headers'], key: string) => carrier[key],
  };
  return (headers) => propagator.extract(api.ROOT_CONTEXT, headers, getter);
}

type Libraries = {
  api: typeof import('@opentelemetry/api');
  contexts: typeof import('@opentelemetry/context-async-hooks');
  core: typeof import('@opentelemetry/core');
  exporters: typeof import('@opentelemetry/exporter-trace-otlp-http');
  resources: typeof import('@opentelemetry/resources');
  sdk: typeof import('@opentelemetry/sdk-trace');
};

async function loadLibraries(): Promise<Libraries> {
  const { resolve } = createRequire(LOCKED);
  const load = (name: string) => import(pathToFileURL(resolve(`@opentelemetry/${name}`)).href);
  try {
    const [api, contexts, core, exporters, resources, sdk] = await Promise.all(
      ['api', 'context-async-hooks', 'core', 'exporter-trace-otlp-http', 'resources', 'sdk-trace'].map(load),
    );
    return { api, contexts, core, exporters, resources, sdk };
  } catch (cause) {
    const command = `npm ci --ignore-scripts --prefix ${dirname(LOCKED)}`;
    throw new Error(`the libraries that record traces are not installed: ${command}`, { cause });
  }
}

/** Names and figures that explain a span. Never contains a page address, a query or a key. */
type SpanAttributes = Record<string, string | number>;

/** A request for its root span; `headers` may continue the trace of a caller (`traceparent`). */
export type TracedRequest = { name: string; headers: IncomingHttpHeaders; attributes: SpanAttributes };

/** Records the time that requests spend as OpenTelemetry spans. Records nothing outside a request. */
export type Tracing = {
  /** Runs `work` as the root span of a request. */
  request<Result>(request: TracedRequest, work: () => Promise<Result>): Promise<Result>;
  /** Runs `work` as a child of the current span; without a current span, just runs it. */
  span<Result>(name: string, work: () => Promise<Result>): Promise<Result>;
  /** Adds a span of `ms` milliseconds that ends now. */
  ended(name: string, ms: number, attributes: SpanAttributes): void;
};

type Method = (...args: never[]) => Promise<unknown>;

/** Span names by method: a name, or a function that derives it from the arguments. */
type SpanNames<Part> = {
  [Name in keyof Part]?: Part[Name] extends (...args: infer Args) => Promise<unknown>
    ? string | ((...args: Args) => string)
    : never;
};

/** Wraps each call of the named methods in a span; returns `part` itself if tracing is off. */
export function traceMethods<Part extends object>(
  tracing: Tracing | null,
  part: Part,
  names: SpanNames<Part>,
): Part {
  if (tracing === null) return part;
  const methods = Object.entries(names).map(([method, name]) => {
    const call = part[method as keyof Part] as Method;
    const nameOf = typeof name === 'function' ? (name as (...args: never[]) => string) : () => String(name);
    return [method, (...args: never[]) => tracing.span(nameOf(...args), () => call(...args))];
  });
  return { ...part, ...Object.fromEntries(methods) };
}

/** Wraps each call of `work` in a span; returns `work` itself if tracing is off. */
export function traceCall<Work extends Method>(tracing: Tracing | null, name: string, work: Work): Work {
  if (tracing === null) return work;
  return ((...args: never[]) => tracing.span(name, () => work(...args))) as Work;
}
