import * as z from 'zod';

/** What several processes share. */
export type SharedStoreConfig = {
  /** Address of a PostgreSQL for the ledger and the jobs; null: SQLite in `dataDir`. */
  readonly databaseUrl: string | null;
  /** Address of a Redis or Valkey for what is only faster with it; null: this process shares nothing but the database. */
  readonly cacheUrl: string | null;
};

export const SHARED_STORE_SETTINGS = {
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

/** Pure: the settings as the server uses them. */
export function readSharedStoreConfig(
  settings: z.output<z.ZodObject<typeof SHARED_STORE_SETTINGS>>,
): SharedStoreConfig {
  return { databaseUrl: settings.DATABASE_URL ?? null, cacheUrl: settings.CACHE_URL ?? null };
}
