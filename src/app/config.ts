import * as z from 'zod';
import type { SettingInForce } from '../http/console/console-types.ts';
import { LOG_LEVELS } from '../platform/log.ts';
import { deriveExposure, type Exposure, isLoopback } from '../platform/net/exposure.ts';
import type { TraceSettings } from '../platform/tracing/open-tracing.ts';
import {
  CALLER_SETTINGS,
  type CallersConfig,
  list,
  networks,
  onOrOff,
  readCallersConfig,
} from './caller-settings.ts';
import { listSettingsInForce } from './console/settings-in-force.ts';
import { findIndexProblem, INDEX_SETTINGS, type IndexConfig, readIndexConfig } from './index-settings.ts';
import { MODEL_SETTINGS, type ModelConfig, readModelConfig } from './models/model-folders.ts';
import { readSourceSettings, SOURCE_SETTING_NAMES, type SourcesConfig } from './source-settings.ts';

const NAME_CHARS_MAX = 40;
/** The settings of the web pages' look. */
const BRANDING_SETTINGS = {
  BRAND_NAME: z
    .string()
    .trim()
    .max(NAME_CHARS_MAX, `must have at most ${NAME_CHARS_MAX} characters`)
    .default('Sanderling'),
  BRAND_COLOR: z
    .string()
    .regex(/^#[0-9a-f]{6}$/i, 'must be a colour such as #0b6470')
    .optional(),
  BRAND_LOGO: z.string().optional(),
  SITE_DIR: z.string().optional(),
};

/** https://opentelemetry.io/docs/specs/otel/protocol/exporter/ */
const TRACES_PATH = '/v1/traces';
const shareReason = 'must be a share from 0 to 1, such as 0.1 for every tenth request';
const HEADERS = /^[^\s,=]+=[^,]*(?:,[^\s,=]+=[^,]*)*$/;
/** Names and meanings are those of OpenTelemetry, so what holds for other services of an operator holds here. */
const OBSERVE_SETTINGS = {
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

const RENDER_SETTINGS = {
  RENDER_URL: z
    .url({ protocol: /^https?$/, error: 'must be an http(s) address such as http://127.0.0.1:8090' })
    .optional(),
  RENDER_TOKEN: z.string().min(16, 'must have at least 16 characters').optional(),
  RENDER_HOST: z.string().default('127.0.0.1'),
  RENDER_PORT: z.coerce.number('must be a port number').int().min(0).max(65_535).default(8090),
  RENDER_CHROMIUM: z.string().optional(),
  RENDER_SANDBOX: z.enum(['on', 'off'], 'must be on or off').default('on'),
  RENDER_USER: z.string().default('nobody'),
};

const SHARED_STORE_SETTINGS = {
  DATABASE_URL: z
    .url({
      protocol: /^postgres(?:ql)?$/,
      hostname: /./,
      error: 'must be an address such as postgres://user:password@127.0.0.1:5432/sanderling',
    })
    .optional(),
  CACHE_URL: z
    .url({
      protocol: /^rediss?$/,
      hostname: /./,
      error: 'must be an address such as redis://user:password@127.0.0.1:6379/0, or rediss:// with TLS',
    })
    .optional(),
};

type PartsConfig = SourcesConfig &
  CallersConfig &
  IndexConfig &
  BrandingConfig &
  ModelConfig &
  RenderConfig &
  ObserveConfig &
  SharedStoreConfig;

/** The settings of one process, read once from the environment; see `.env.example`. */
export type Config = PartsConfig & {
  readonly port: number;
  readonly host: string;
  /** Public address of the service, without a slash at the end; null: the listening address. */
  readonly baseUrl: string | null;
  readonly dataDir: string;
  /** Days for which the ledger keeps each charge; older ones become one entry for each key and day. */
  readonly ledgerDetailDays: number;
  /** Public address of the web pages, without a slash at the end; null: that of the service. */
  readonly siteUrl: string | null;
  /** Null: not configured. */
  readonly stripe: {
    readonly secretKey: string;
    /** More than one while a secret is being replaced. */
    readonly webhookSecrets: readonly string[];
    /** Null: Stripe's own. */
    readonly apiBase: string | null;
  } | null;
  /** Seals and signs; null: a secret made on the first start and kept in the data folder. */
  readonly appSecret: string | null;
  /** Number of proxies in front of the service whose `X-Forwarded-For` is trusted. */
  readonly trustProxy: number;
  /** Opens `/metrics` to other machines; null: this machine only. */
  readonly metricsToken: string | null;
  /** Private networks (CIDRs) that may be fetched. */
  readonly fetchAllowPrivate: readonly string[];
  /** Private networks (CIDRs) that webhooks may be sent to. */
  readonly webhookAllowPrivate: readonly string[];
  readonly exposure: Exposure;
  /** `host:port` of name servers; empty: the system's. */
  readonly dnsServers: readonly string[];
  /** Prefix of the names of the MCP tools. */
  readonly brand: string;
  /** Whether pages that are read for callers enter the local index; crawls and imports always do. */
  readonly indexReads: boolean;
  readonly logLevel: (typeof LOG_LEVELS)[number];
  /** Of this process; null: as much as its container allows, if it is in one. */
  readonly memoryMaxMegabytes: number | null;
  /** Every setting as it is, for the operator; without secrets. */
  readonly inForce: readonly SettingInForce[];
};

/** Days for which the ledger keeps each charge by default. */
export const DETAIL_DAYS = 90;

/** An invalid setting; the message names it and says what to write instead. */
export class ConfigError extends Error {
  override name = 'ConfigError';
}

const HOST_PORT = /^(?:\[[0-9a-f:]+\]|\d{1,3}(?:\.\d{1,3}){3})(?::\d{1,5})?$/i;

/** Every variable the service reads, except those of the sources. Exported for the test that compares `.env.example`. */
/** Less would leave no room beside the caches. */
const MEGABYTES_MIN = 256;

export const SETTINGS = z.object({
  PORT: z.coerce.number('must be a port number').int().min(0).max(65_535).default(8080),
  HOST: z.string().default('127.0.0.1'),
  ...CALLER_SETTINGS,
  BASE_URL: z
    .url({ protocol: /^https?$/, error: 'must be an http(s) address such as https://search.example.org' })
    .optional(),
  DATA_DIR: z.string().default('./data'),
  ...SHARED_STORE_SETTINGS,
  LEDGER_DETAIL_DAYS: z.coerce
    .number('must be a number of days')
    .int('must be a whole number')
    .min(7, 'must be at least 7')
    .max(36_500, 'must be at most 36500')
    .default(DETAIL_DAYS),
  TRUST_PROXY: z.coerce
    .number('must be the number of proxies in front of the service')
    .int('must be a whole number')
    .min(0, 'must be 0 or more')
    .max(10, 'must be at most 10')
    .default(0),
  SITE_URL: z
    .url({ protocol: /^https?$/, error: 'must be an http(s) address such as https://www.example.org' })
    .optional(),
  STRIPE_SECRET_KEY: z
    .string()
    .regex(/^(?:sk|rk)_(?:live|test)_/, 'must begin with sk_live_, sk_test_, rk_live_ or rk_test_')
    .optional(),
  STRIPE_WEBHOOK_SECRET: list.refine(
    (secrets) => secrets.every((secret) => secret.startsWith('whsec_')),
    'must be a comma list of secrets that begin with whsec_',
  ),
  STRIPE_API_BASE: z.url({ protocol: /^https?$/, error: 'must be an http(s) address' }).optional(),
  APP_SECRET: z.string().min(32, 'must have at least 32 characters').optional(),
  METRICS_TOKEN: z.string().min(16, 'must have at least 16 characters').optional(),
  ...INDEX_SETTINGS,
  ...RENDER_SETTINGS,
  ...OBSERVE_SETTINGS,
  FETCH_ALLOW_PRIVATE: networks,
  WEBHOOK_ALLOW_PRIVATE: networks,
  ALLOWED_ORIGINS: list.refine(
    (origins) => origins.every((origin) => origin.startsWith('http') && URL.parse(origin)?.origin === origin),
    'must be a comma list of origins such as https://app.example.org, without a path',
  ),
  DNS_SERVERS: list.refine(
    (servers) => servers.every((server) => HOST_PORT.test(server)),
    'must be a comma list of address:port such as 127.0.0.1:5353',
  ),
  BRAND: z
    .string()
    .regex(/^[a-z][a-z0-9_]{0,31}$/, 'must be a word of lower-case letters, digits and _, at most 32')
    .default('service'),
  ...BRANDING_SETTINGS,
  ...MODEL_SETTINGS,
  INDEX_READS: onOrOff,
  LOG_LEVEL: z.enum(LOG_LEVELS).default('info'),
  MEMORY_MAX_MB: z.coerce
    .number('must be a number of megabytes')
    .int('must be a whole number')
    .min(MEGABYTES_MIN, `must be at least ${MEGABYTES_MIN}`)
    .optional(),
});

/**
 * Pure: environment -> frozen settings. An empty variable counts as absent. `inFile`: the variables that a file set. Throws ConfigError.
 */
export function readConfig(
  environment: Record<string, string | undefined>,
  inFile: ReadonlySet<string> = new Set(),
): Config {
  const present = Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== undefined && value !== ''),
  );
  const parsed = SETTINGS.safeParse(present);
  const recall = readSourceSettings(present);
  const problems = 'problems' in recall ? recall.problems : [];
  if (!parsed.success || 'problems' in recall) {
    const issues = parsed.error?.issues ?? [];
    const lines = issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
    throw new ConfigError([...lines, ...problems].join('\n'));
  }
  const settings = parsed.data;
  const stripe = readStripeConfig(settings);
  const renderingProblem = findRenderProblem(settings);
  if (renderingProblem !== null) throw new ConfigError(renderingProblem);
  const clusterProblem = findIndexProblem(settings);
  if (clusterProblem !== null) throw new ConfigError(clusterProblem);
  const exposure = deriveExposure({
    host: settings.HOST,
    baseUrl: settings.BASE_URL ?? null,
    siteUrl: settings.SITE_URL ?? null,
    allowedOrigins: Object.freeze(settings.ALLOWED_ORIGINS),
    fetchAllowPrivate: settings.FETCH_ALLOW_PRIVATE,
    metering: settings.METERING === 'on',
  });
  const callers = readCallersConfig(settings, { audience: exposure.audience, hasStripeKey: stripe !== null });
  if (callers.payments === 'stripe' && stripe === null)
    throw new ConfigError('STRIPE_SECRET_KEY: is missing, although PAYMENTS is stripe');
  const contact = recall.config.contact ?? toContact(settings.BASE_URL);
  return Object.freeze({
    ...recall.config,
    ...callers,
    ...readIndexConfig(settings),
    ...readModelConfig(settings),
    ...readBrandingConfig(settings),
    ...readRenderConfig(settings),
    ...readObserveConfig(settings),
    ...readSharedStoreConfig(settings),
    contact,
    inForce: listSettingsInForce({
      names: [...Object.keys(SETTINGS.shape), ...SOURCE_SETTING_NAMES],
      present,
      inFile,
      defaults: { ...settings, PAYMENTS: callers.payments, CONTACT: contact },
    }),
    port: settings.PORT,
    host: settings.HOST,
    baseUrl: settings.BASE_URL?.replace(/(?<!\/)\/+$/, '') ?? null,
    dataDir: settings.DATA_DIR,
    ledgerDetailDays: settings.LEDGER_DETAIL_DAYS,
    trustProxy: settings.TRUST_PROXY,
    siteUrl: settings.SITE_URL?.replace(/(?<!\/)\/+$/, '') ?? null,
    stripe,
    appSecret: settings.APP_SECRET ?? null,
    metricsToken: settings.METRICS_TOKEN ?? null,
    fetchAllowPrivate: Object.freeze(settings.FETCH_ALLOW_PRIVATE),
    webhookAllowPrivate: Object.freeze(settings.WEBHOOK_ALLOW_PRIVATE),
    exposure: Object.freeze(exposure),
    dnsServers: Object.freeze(settings.DNS_SERVERS),
    brand: settings.BRAND,
    indexReads: settings.INDEX_READS === 'on',
    logLevel: settings.LOG_LEVEL,
    memoryMaxMegabytes: settings.MEMORY_MAX_MB ?? null,
  });
}

/** An address that others can write to; a loopback address is none. */
function toContact(baseUrl: string | undefined): string | null {
  return baseUrl === undefined || isLoopback(new URL(baseUrl).hostname) ? null : baseUrl;
}

/** Stripe is configured completely or not at all. */
function readStripeConfig(settings: z.output<typeof SETTINGS>): Config['stripe'] {
  const { STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET, STRIPE_API_BASE } = settings;
  if (STRIPE_SECRET_KEY === undefined) {
    if (STRIPE_WEBHOOK_SECRET.length === 0 && STRIPE_API_BASE === undefined) return null;
    throw new ConfigError('STRIPE_SECRET_KEY: is missing, although other Stripe settings are set');
  }
  if (STRIPE_WEBHOOK_SECRET.length === 0)
    throw new ConfigError(
      'STRIPE_WEBHOOK_SECRET: is missing: register {BASE_URL}/webhooks/stripe with Stripe and set its signing secret',
    );
  return Object.freeze({
    secretKey: STRIPE_SECRET_KEY,
    webhookSecrets: Object.freeze(STRIPE_WEBHOOK_SECRET),
    apiBase: STRIPE_API_BASE ?? null,
  });
}

/** What several processes share. */
type SharedStoreConfig = {
  /** Address of a PostgreSQL for the ledger and the jobs; null: SQLite in `dataDir`. */
  readonly databaseUrl: string | null;
  /** Address of a Redis or Valkey for what is only faster with it; null: this process shares nothing but the database. */
  readonly cacheUrl: string | null;
};

/** Pure: the settings as the server uses them. */
function readSharedStoreConfig(
  settings: z.output<z.ZodObject<typeof SHARED_STORE_SETTINGS>>,
): SharedStoreConfig {
  return { databaseUrl: settings.DATABASE_URL ?? null, cacheUrl: settings.CACHE_URL ?? null };
}

/** Where pages are rendered, and how the process that renders them runs. */
type RenderConfig = {
  /** Null: no page is rendered. */
  readonly rendering: { readonly url: string; readonly token: string } | null;
  /** Of `sanderling render`. */
  readonly renderProcess: {
    readonly host: string;
    readonly port: number;
    /** What its clients must send; null: it does not start. */
    readonly token: string | null;
    /** Path of a Chromium; null: where Debian puts it. */
    readonly chromium: string | null;
    readonly sandbox: boolean;
    /** Whom the process becomes when root starts it. */
    readonly user: string;
  };
};

type Settings = z.output<z.ZodObject<typeof RENDER_SETTINGS>>;

/** Why the settings cannot be used together; null: they can. */
function findRenderProblem({ RENDER_URL, RENDER_TOKEN }: Settings): string | null {
  return RENDER_URL !== undefined && RENDER_TOKEN === undefined
    ? 'RENDER_TOKEN: is missing, although RENDER_URL is set: give both processes the same secret'
    : null;
}

/** Pure: the settings as both processes use them. */
function readRenderConfig(settings: Settings): RenderConfig {
  const { RENDER_URL: url, RENDER_TOKEN: token } = settings;
  return {
    rendering:
      url === undefined || token === undefined ? null : { url: url.replace(/(?<!\/)\/+$/, ''), token },
    renderProcess: Object.freeze({
      host: settings.RENDER_HOST,
      port: settings.RENDER_PORT,
      token: token ?? null,
      chromium: settings.RENDER_CHROMIUM ?? null,
      sandbox: settings.RENDER_SANDBOX === 'on',
      user: settings.RENDER_USER,
    }),
  };
}

/** What operators see of a server from outside, besides metrics. */
type ObserveConfig = {
  /** Null: nothing is traced. */
  readonly traces: TraceSettings | null;
  /** Requests that take longer are logged as a warning with their stages; null: none. */
  readonly slowRequestMs: number | null;
};

/** Pure: the settings as the server uses them. */
function readObserveConfig(settings: z.output<z.ZodObject<typeof OBSERVE_SETTINGS>>): ObserveConfig {
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

/** How the web pages look. */
export type BrandingConfig = {
  /** The name on every page. */
  readonly brandName: string;
  /** `#rrggbb`; null: ours. */
  readonly brandColour: string | null;
  /** A picture file; null: ours. */
  readonly brandLogo: string | null;
  /** A folder with pages of the operator's own; null: none. */
  readonly siteDir: string | null;
};

/** Settings -> how the pages look. */
function readBrandingConfig(settings: {
  BRAND_NAME: string;
  BRAND_COLOR?: string | undefined;
  BRAND_LOGO?: string | undefined;
  SITE_DIR?: string | undefined;
}): BrandingConfig {
  const { BRAND_NAME, BRAND_COLOR = null, BRAND_LOGO = null, SITE_DIR = null } = settings;
  return { brandName: BRAND_NAME, brandColour: BRAND_COLOR, brandLogo: BRAND_LOGO, siteDir: SITE_DIR };
}
