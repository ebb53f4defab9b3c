/**
 * Tracing as the rest of the code uses it: spans around requests and around calls of a part. Where tracing is off it is null and nothing is
 * wrapped. OpenTelemetry itself is loaded only by open-tracing.ts.
 */
import type { IncomingHttpHeaders } from 'node:http';

/** Names and figures that explain a span. Never contains a page address, a query or a key. */
export type SpanAttributes = Record<string, string | number>;

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
