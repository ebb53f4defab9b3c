import type { IncomingHttpHeaders } from 'node:http';

/** Names and figures that explain a span. Never an address of a page, a query or a key. */
export type SpanAttributes = Record<string, string | number>;

/** A request as its first span shows it; `headers` may continue the trace of a caller (`traceparent`). */
export type TracedRequest = { name: string; headers: IncomingHttpHeaders; attributes: SpanAttributes };

/** Records what requests spend their time on, as spans of OpenTelemetry. Outside a request nothing is recorded. */
export type Tracing = {
  /** Runs `work` as the first span of a request. */
  request<Result>(request: TracedRequest, work: () => Promise<Result>): Promise<Result>;
  /** Runs `work` as a span within the one around it; without one, runs it alone. */
  span<Result>(name: string, work: () => Promise<Result>): Promise<Result>;
  /** Adds a span of `ms` milliseconds that ends now. */
  ended(name: string, ms: number, attributes: SpanAttributes): void;
};

type Method = (...args: never[]) => Promise<unknown>;

/** The name of each method's span, or how its arguments say it. */
type SpanNames<Part> = {
  [Name in keyof Part]?: Part[Name] extends (...args: infer Args) => Promise<unknown>
    ? string | ((...args: Args) => string)
    : never;
};

/** `part`, with a span around each call of the named methods; `part` itself where nothing is traced. */
export function traced<Part extends object>(
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

/** `work`, with a span around each call; `work` itself where nothing is traced. */
export function tracedCall<Work extends Method>(tracing: Tracing | null, name: string, work: Work): Work {
  if (tracing === null) return work;
  return ((...args: never[]) => tracing.span(name, () => work(...args))) as Work;
}
