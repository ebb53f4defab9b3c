import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import { LOG_LEVELS } from './platform/log.ts';

/** The settings of one process, read once from the environment; see `.env.example`. */
export type Config = {
  readonly port: number;
  readonly host: string;
  /** Public address of the service, without a slash at the end; null: the listening address. */
  readonly baseUrl: string | null;
  readonly dataDir: string;
  /** CIDRs that may be fetched although they are private. */
  readonly fetchAllowPrivate: readonly string[];
  /** `host:port` of name servers; empty: the system's. */
  readonly dnsServers: readonly string[];
  readonly logLevel: (typeof LOG_LEVELS)[number];
};

/** A setting that cannot be used; the message names it and says what to write instead. */
export class ConfigError extends Error {
  override name = 'ConfigError';
}

const list = z
  .string()
  .default('')
  .transform((text) =>
    text
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== ''),
  );

const isCidr = (text: string): boolean => ipaddr.isValidCIDR(text);
const HOST_PORT = /^(?:\[[0-9a-f:]+\]|\d{1,3}(?:\.\d{1,3}){3})(?::\d{1,5})?$/i;

/** Every variable that the service reads. Exported for the test that holds `.env.example` to it. */
export const SETTINGS = z.object({
  PORT: z.coerce.number('must be a port number').int().min(0).max(65_535).default(8080),
  HOST: z.string().default('127.0.0.1'),
  BASE_URL: z
    .url({ protocol: /^https?$/, error: 'must be an http(s) address such as https://search.example.org' })
    .optional(),
  DATA_DIR: z.string().default('./data'),
  FETCH_ALLOW_PRIVATE: list.refine(
    (parts) => parts.every(isCidr),
    'must be a comma list of CIDRs such as 10.0.0.0/8',
  ),
  DNS_SERVERS: list.refine(
    (parts) => parts.every((part) => HOST_PORT.test(part)),
    'must be a comma list of address:port such as 127.0.0.1:5353',
  ),
  LOG_LEVEL: z.enum(LOG_LEVELS).default('info'),
});

/** Pure: environment in, frozen settings out. An empty variable counts as absent. Throws ConfigError. */
export function readConfig(environment: Record<string, string | undefined>): Config {
  const present = Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== undefined && value !== ''),
  );
  const parsed = SETTINGS.safeParse(present);
  if (!parsed.success) {
    const lines = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
    throw new ConfigError(lines.join('\n'));
  }
  const settings = parsed.data;
  return Object.freeze({
    port: settings.PORT,
    host: settings.HOST,
    baseUrl: settings.BASE_URL?.replace(/\/+$/, '') ?? null,
    dataDir: settings.DATA_DIR,
    fetchAllowPrivate: Object.freeze(settings.FETCH_ALLOW_PRIVATE),
    dnsServers: Object.freeze(settings.DNS_SERVERS),
    logLevel: settings.LOG_LEVEL,
  });
}
