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
import { EGRESS_SETTINGS, type EgressConfig, readEgressConfig } from './egress-settings.ts';
import { findIndexProblem, INDEX_SETTINGS, type IndexConfig, readIndexConfig } from './index-settings.ts';
import { MODEL_SETTINGS, type ModelConfig, readModelConfig } from './models/model-folders.ts';
import {
  findMonitorProblem,
  MONITOR_SETTINGS,
  type MonitorConfig,
  readMonitorConfig,
} from './monitor-settings.ts';
import { readSourceSettings, SOURCE_SETTING_NAMES, type SourcesConfig } from './source-settings.ts';
import {
  findWriterProblem,
  readWriterConfig,
  WRITER_SETTINGS,
  type WriterConfig,
} from './writer-settings.ts';

const NAME_CHARS_MAX = 40;
/** Settings of the branding. */
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
/** Settings with the names and meanings of OpenTelemetry, so that they work as in the operator's other services. */
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
  WriterConfig &
  EgressConfig &
  MonitorConfig &
  RenderConfig &
  ObserveConfig &
  SharedStoreConfig;

/** The settings of one process, read once from the environment; see `.env.example`. */
export type Config = PartsConfig & {
  readonly port: number;
  readonly host: string;
  /** Public URL of the service, without a trailing slash; null: the listening address. */
  readonly baseUrl: string | null;
  readonly dataDir: string;
  /** Days for which the ledger keeps each charge; older ones become one entry for each key and day. */
  readonly ledgerDetailDays: number;
  /** Public URL of the web pages, without a trailing slash; null: that of the service. */
  readonly siteUrl: string | null;
  /** Null: not configured. */
  readonly stripe: {
    readonly secretKey: string;
    /** More than one while a secret is being replaced. */
    readonly webhookSecrets: readonly string[];
    /** Null: Stripe's own. */
    readonly apiBase: string | null;
  } | null;
  /** Secret that seals and signs; null: one generated at the first start and kept in the data folder. */
  readonly appSecret: string | null;
  /** Number of proxies in front of the service whose `X-Forwarded-For` is trusted. */
  readonly trustProxy: number;
  /** Token that opens `/metrics` to other machines; null: this machine only. */
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
  /** True if pages read for callers enter the local index; pages of crawls and imports always do. */
  readonly indexReads: boolean;
  /** Path of the operator's rules for extracting pages of some sites; null: none. */
  readonly extractRules: string | null;
  readonly logLevel: (typeof LOG_LEVELS)[number];
  /** Memory limit of this process; null: that of its container, if it runs in one. */
  readonly memoryMaxMegabytes: number | null;
  /** Every setting in force, for the operator; without secrets. */
  readonly inForce: readonly SettingInForce[];
};

/** Days for which the ledger keeps each charge by default. */
export const DETAIL_DAYS = 90;

/** An invalid setting; the message names it and says what to write instead. */
export class ConfigError extends Error {
  override name = 'ConfigError';
}

const HOST_PORT = /^(?:\[[0-9a-f:]+\]|\d{1,3}(?:\.\d{1,3}){3})(?::\d{1,5})?$/i;

/** Minimum memory limit; less would leave no room beside the caches. */
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
  ...EGRESS_SETTINGS,
  BRAND: z
    .string()
    .regex(/^[a-z][a-z0-9_]{0,31}$/, 'must be a word of lower-case letters, digits and _, at most 32')
    .default('service'),
  ...BRANDING_SETTINGS,
  ...MODEL_SETTINGS,
  ...WRITER_SETTINGS,
  ...MONITOR_SETTINGS,
  INDEX_READS: onOrOff,
  EXTRACT_RULES: z.string().optional(),
  LOG_LEVEL: z.enum(LOG_LEVELS).default('info'),
  MEMORY_MAX_MB: z.coerce
    .number('must be a number of megabytes')
    .int('must be a whole number')
    .min(MEGABYTES_MIN, `must be at least ${MEGABYTES_MIN}`)
    .optional(),
});

/**
 * Pure: environment -> frozen settings. An empty variable counts as absent. `inFile`: the variables set by a file. Throws ConfigError.
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
  const writerProblem = findWriterProblem(settings);
  if (writerProblem !== null) throw new ConfigError(writerProblem);
  const monitorProblem = findMonitorProblem(settings);
  if (monitorProblem !== null) throw new ConfigError(monitorProblem);
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
    ...readWriterConfig(settings),
    ...readEgressConfig(settings),
    ...readMonitorConfig(settings),
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
    extractRules: settings.EXTRACT_RULES ?? null,
    logLevel: settings.LOG_LEVEL,
    memoryMaxMegabytes: settings.MEMORY_MAX_MB ?? null,
  });
}

/** Returns the address as a contact, or null for a loopback address, which others cannot reach. */
function toContact(baseUrl: string | undefined): string | null {
  return baseUrl === undefined || isLoopback(new URL(baseUrl).hostname) ? null : baseUrl;
}

/** Reads the Stripe settings, which must be complete or absent. */
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

/** Settings of the stores that several processes share. */
type SharedStoreConfig = {
  /** URL of a PostgreSQL for the ledger and the jobs; null: SQLite in `dataDir`. */
  readonly databaseUrl: string | null;
  /** URL of a Redis or Valkey for shared caches; null: this process shares nothing but the database. */
  readonly cacheUrl: string | null;
};

/** Pure: converts the settings to the server's config. */
function readSharedStoreConfig(
  settings: z.output<z.ZodObject<typeof SHARED_STORE_SETTINGS>>,
): SharedStoreConfig {
  return { databaseUrl: settings.DATABASE_URL ?? null, cacheUrl: settings.CACHE_URL ?? null };
}

/** Settings for rendering: the address of the rendering process, and how that process runs. */
type RenderConfig = {
  /** Null: no page is rendered. */
  readonly rendering: { readonly url: string; readonly token: string } | null;
  /** Settings of `sanderling render`. */
  readonly renderProcess: {
    readonly host: string;
    readonly port: number;
    /** Token that its clients must send; null: the process does not start. */
    readonly token: string | null;
    /** Path of Chromium; null: Debian's path. */
    readonly chromium: string | null;
    readonly sandbox: boolean;
    /** User that the process switches to when started by root. */
    readonly user: string;
  };
};

type Settings = z.output<z.ZodObject<typeof RENDER_SETTINGS>>;

/** Returns why the settings cannot be used together; null: they can. */
function findRenderProblem({ RENDER_URL, RENDER_TOKEN }: Settings): string | null {
  return RENDER_URL !== undefined && RENDER_TOKEN === undefined
    ? 'RENDER_TOKEN: is missing, although RENDER_URL is set: give both processes the same secret'
    : null;
}

/** Pure: converts the settings to the config of both processes. */
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

/** Settings for observing a server, besides metrics. */
type ObserveConfig = {
  /** Null: nothing is traced. */
  readonly traces: TraceSettings | null;
  /** Requests that take longer are logged as a warning with their stages; null: none. */
  readonly slowRequestMs: number | null;
};

/** Pure: converts the settings to the server's config. */
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

/** Parses headers, whose values are percent-encoded as in W3C Baggage. */
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

/** Branding of the web pages. */
export type BrandingConfig = {
  /** Name shown on every page. */
  readonly brandName: string;
  /** Colour as `#rrggbb`; null: the default. */
  readonly brandColour: string | null;
  /** Path of the logo file; null: the default. */
  readonly brandLogo: string | null;
  /** Folder with the operator's own pages; null: none. */
  readonly siteDir: string | null;
};

/** Converts the settings to the branding config. */
function readBrandingConfig(settings: {
  BRAND_NAME: string;
  BRAND_COLOR?: string | undefined;
  BRAND_LOGO?: string | undefined;
  SITE_DIR?: string | undefined;
}): BrandingConfig {
  const { BRAND_NAME, BRAND_COLOR = null, BRAND_LOGO = null, SITE_DIR = null } = settings;
  return { brandName: BRAND_NAME, brandColour: BRAND_COLOR, brandLogo: BRAND_LOGO, siteDir: SITE_DIR };
}
