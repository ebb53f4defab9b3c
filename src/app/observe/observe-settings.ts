import * as z from 'zod';
import type { TraceSettings } from '../../platform/tracing/open-tracing.ts';

/** What operators see of a server from outside, besides metrics. */
export type ObserveConfig = {
  /** Null: nothing is traced. */
  readonly traces: TraceSettings | null;
  /** Requests that take longer are logged as a warning with their stages; null: none. */
  readonly slowRequestMs: number | null;
};

/** https://opentelemetry.io/docs/specs/otel/protocol/exporter/ */
const TRACES_PATH = '/v1/traces';

const shareReason = 'must be a share from 0 to 1, such as 0.1 for every tenth request';
const HEADERS = /^[^\s,=]+=[^,]*(?:,[^\s,=]+=[^,]*)*$/;

/** Names and meanings are those of OpenTelemetry, so what holds for other services of an operator holds here. */
export const OBSERVE_SETTINGS = {
  OTEL_EXPORTER_OTLP_ENDPOINT: z
    .url({
      protocol: /^https?$/,
      error: 'must be the http(s) address of an OTLP receiver such as http://127.0.0.1:4318',
    })
    .optional(),
  OTEL_EXPORTER_OTLP_HEADERS: z
    .string()
    .regex(HEADERS, 'must be a comma list of name=value such as authorization=Bearer%20secret')
    .optional(),
  OTEL_SERVICE_NAME: z.string().default('sanderling'),
  OTEL_TRACES_SAMPLER_ARG: z.coerce.number(shareReason).min(0, shareReason).max(1, shareReason).default(1),
  SLOW_REQUEST_MS: z.coerce
    .number('must be a number of milliseconds')
    .int('must be a whole number')
    .min(1, 'must be at least 1')
    .optional(),
};

/** Pure: the settings as the server uses them. */
export function readObserveConfig(settings: z.output<z.ZodObject<typeof OBSERVE_SETTINGS>>): ObserveConfig {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_EXPORTER_OTLP_HEADERS: headers } = settings;
  return {
    slowRequestMs: settings.SLOW_REQUEST_MS ?? null,
    traces:
      endpoint === undefined
        ? null
        : Object.freeze({
            url: endpoint.replace(/(?<!\/)\/+$/, '') + TRACES_PATH,
            headers: parseHeaders(headers),
            serviceName: settings.OTEL_SERVICE_NAME,
            share: settings.OTEL_TRACES_SAMPLER_ARG,
          }),
  };
}

/** Values are percent-encoded, as in W3C Baggage. */
function parseHeaders(text: string | undefined): Record<string, string> {
  const pairs = (text ?? '').split(',').filter((pair) => pair !== '');
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf('=');
      return [pair.slice(0, at).toLowerCase(), decodeSafely(pair.slice(at + 1))];
    }),
  );
}

function decodeSafely(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
