import * as z from 'zod';
import type { SettingInForce } from '../http/console/console-types.ts';
import { LOG_LEVELS } from '../platform/log.ts';
import { deriveExposure, type Exposure, isLoopback } from '../platform/net/exposure.ts';
import { CALLER_SETTINGS, type CallersConfig, onOrOff, readCallersConfig } from './caller-settings.ts';
import { listSettingsInForce } from './console/settings-in-force.ts';
import { findIndexProblem, INDEX_SETTINGS, type IndexConfig, readIndexConfig } from './index-settings.ts';
import { list, networks } from './list-setting.ts';
import { BRANDING_SETTINGS, type BrandingConfig, readBrandingConfig } from './look-settings.ts';
import { MODEL_SETTINGS, type ModelConfig, readModelConfig } from './models/model-settings.ts';
import { OBSERVE_SETTINGS, type ObserveConfig, readObserveConfig } from './observe/observe-settings.ts';
import {
  findRenderProblem,
  RENDER_SETTINGS,
  type RenderConfig,
  readRenderConfig,
} from './render-settings.ts';
import {
  readSharedStoreConfig,
  SHARED_STORE_SETTINGS,
  type SharedStoreConfig,
} from './sharing/sharing-settings.ts';
import { readSourceSettings, SOURCE_SETTING_NAMES, type SourcesConfig } from './source-settings.ts';

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
