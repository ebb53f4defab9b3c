import * as z from 'zod';
import { CACHE_BYTES_MAX, VERSIONS_BYTES_MAX } from '../contract/limits.ts';
import type { ClusterSettings } from '../index/opensearch/connect/cluster.ts';
import { readOpenSearchAddress } from '../index/opensearch/connect/cluster.ts';

/** Settings of the index and the page cache: bounds, refreshing, location, and the token for changes. */
export type IndexConfig = {
  /** Maximum bytes of the index file; null: no limit. */
  readonly indexBytesMax: number | null;
  /** Maximum bytes of the page cache. */
  readonly cacheBytesMax: number;
  /** True if every change of a public page that is read is kept; else only those that somebody tracks. */
  readonly keepsVersions: boolean;
  /** Maximum bytes of the kept versions. */
  readonly versionsBytesMax: number;
  /** Pages of the index that a server reads again per hour; 0: none. */
  readonly refreshPerHour: number;
  /** True if searches of the index also find pages by meaning. */
  readonly vectorRecall: boolean;
  /** Token for the routes that change the index; null: nobody may call them. */
  readonly adminToken: string | null;
  /** Address of the cluster that holds the index; null: a file in the data folder. */
  readonly indexUrl: string | null;
  /** Access settings for clusters, independent of their address. */
  readonly clusterAccess: Omit<ClusterSettings, 'url'>;
};

const BYTES_MIN = 1_048_576;
const UNITS: Record<string, number> = { '': 1, k: 1_024, m: 1_048_576, g: 1_073_741_824 };

/** A number of bytes, with `k`, `M` or `G` for powers of 1,024. */
const byteCount = z
  .string()
  .regex(/^\d{1,15}[kmg]?$/i, 'must be a number of bytes such as 500M or 2G')
  .transform((text) => Number.parseInt(text, 10) * (UNITS[text.replace(/\d+/, '').toLowerCase()] ?? 1))
  .refine((bytes) => bytes >= BYTES_MIN, 'must be at least 1M');

/** Maximum pages refreshed per hour, about three a second; beyond that a crawl is the better tool. */
const REFRESH_PER_HOUR_MAX = 10_000;
const refreshReason = `must be a whole number of pages from 0 to ${REFRESH_PER_HOUR_MAX}`;

const SHARDS_MAX = 100;
const shardsReason = `must be a whole number of shards from 1 to ${SHARDS_MAX}`;
const addressReason =
  'must be an address such as https://name:password@search.example:9200/sanderling, or several with commas';

function isAddress(text: string): boolean {
  try {
    return readOpenSearchAddress(text).nodes.length > 0;
  } catch {
    return false;
  }
}

export const INDEX_SETTINGS = {
  INDEX_BYTES_MAX: byteCount.optional(),
  CACHE_BYTES_MAX: byteCount.default(CACHE_BYTES_MAX),
  VERSIONS: z.enum(['on', 'off'], 'must be on or off').default('off'),
  VERSIONS_BYTES_MAX: byteCount.default(VERSIONS_BYTES_MAX),
  REFRESH_PER_HOUR: z.coerce
    .number(refreshReason)
    .int(refreshReason)
    .min(0, refreshReason)
    .max(REFRESH_PER_HOUR_MAX, refreshReason)
    .default(0),
  VECTOR_RECALL: z.enum(['on', 'off'], 'must be on or off').default('off'),
  INDEX_URL: z.string().refine(isAddress, addressReason).optional(),
  INDEX_CA_FILE: z.string().optional(),
  INDEX_TOKEN: z.string().optional(),
  INDEX_AWS_REGION: z.string().optional(),
  INDEX_SHARDS: z.coerce
    .number(shardsReason)
    .int(shardsReason)
    .min(1, shardsReason)
    .max(SHARDS_MAX, shardsReason)
    .default(1),
  AWS_ACCESS_KEY_ID: z.string().optional(),
  AWS_SECRET_ACCESS_KEY: z.string().optional(),
  AWS_SESSION_TOKEN: z.string().optional(),
  ADMIN_TOKEN: z.string().min(16, 'must have at least 16 characters').optional(),
};

type IndexSettings = z.output<z.ZodObject<typeof INDEX_SETTINGS>>;
/** Pure: returns what is wrong with settings that do not fit together; null: nothing. */
export function findIndexProblem(settings: IndexSettings): string | null {
  const { INDEX_URL, INDEX_AWS_REGION, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, VECTOR_RECALL } = settings;
  if (INDEX_AWS_REGION !== undefined && !(AWS_ACCESS_KEY_ID && AWS_SECRET_ACCESS_KEY))
    return 'INDEX_AWS_REGION: requests are signed with AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, which are not set';
  if (INDEX_URL !== undefined && VECTOR_RECALL === 'on')
    return 'VECTOR_RECALL: finds pages of a local index only; unset it, or INDEX_URL';
  return null;
}

/** Pure: converts the settings to the server's config. */
export function readIndexConfig(settings: IndexSettings): IndexConfig {
  return {
    indexBytesMax: settings.INDEX_BYTES_MAX ?? null,
    cacheBytesMax: settings.CACHE_BYTES_MAX,
    keepsVersions: settings.VERSIONS === 'on',
    versionsBytesMax: settings.VERSIONS_BYTES_MAX,
    refreshPerHour: settings.REFRESH_PER_HOUR,
    vectorRecall: settings.VECTOR_RECALL === 'on',
    adminToken: settings.ADMIN_TOKEN ?? null,
    indexUrl: settings.INDEX_URL ?? null,
    clusterAccess: readClusterAccess(settings),
  };
}

/** Refresh interval of the cluster: when pages written by another process become searchable. */
const REFRESH_MS = 1_000;

function readClusterAccess(settings: IndexSettings): IndexConfig['clusterAccess'] {
  const { INDEX_AWS_REGION: region, AWS_ACCESS_KEY_ID: accessKeyId } = settings;
  const { AWS_SECRET_ACCESS_KEY: secretAccessKey, AWS_SESSION_TOKEN: sessionToken = null } = settings;
  return Object.freeze({
    caFile: settings.INDEX_CA_FILE ?? null,
    token: settings.INDEX_TOKEN ?? null,
    aws:
      region === undefined || accessKeyId === undefined || secretAccessKey === undefined
        ? null
        : { region, accessKeyId, secretAccessKey, sessionToken },
    shards: settings.INDEX_SHARDS,
    refreshMs: REFRESH_MS,
  });
}
