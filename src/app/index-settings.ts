import { z } from 'zod';
import { CACHE_BYTES_MAX } from '../contract/limits.ts';

/** How much the index and the page cache keep, how the index stays fresh, and who may change it. */
export type IndexConfig = {
  /** Bound of the index file, in bytes; null: none. */
  readonly indexBytesMax: number | null;
  /** Bound of the page cache, in bytes. */
  readonly cacheBytesMax: number;
  /** Pages of the index that a server reads again per hour; 0: none. */
  readonly refreshPerHour: number;
  /** Whether searches of the index find pages by their meaning too. */
  readonly vectorRecall: boolean;
  /** Opens the routes that change the index; null: nobody may call them. */
  readonly adminToken: string | null;
};

const BYTES_MIN = 1_048_576;
const UNITS: Record<string, number> = { '': 1, k: 1_024, m: 1_048_576, g: 1_073_741_824 };

/** A number of bytes, with `k`, `M` or `G` for powers of 1,024. */
const byteCount = z
  .string()
  .regex(/^\d{1,15}[kmg]?$/i, 'must be a number of bytes such as 500M or 2G')
  .transform((text) => Number.parseInt(text, 10) * (UNITS[text.replace(/\d+/, '').toLowerCase()] ?? 1))
  .refine((bytes) => bytes >= BYTES_MIN, 'must be at least 1M');

/** Three pages a second: beyond that a crawl is the better tool. */
const REFRESH_PER_HOUR_MAX = 10_000;
const refreshReason = `must be a whole number of pages from 0 to ${REFRESH_PER_HOUR_MAX}`;

export const INDEX_SETTINGS = {
  INDEX_BYTES_MAX: byteCount.optional(),
  CACHE_BYTES_MAX: byteCount.default(CACHE_BYTES_MAX),
  REFRESH_PER_HOUR: z.coerce
    .number(refreshReason)
    .int(refreshReason)
    .min(0, refreshReason)
    .max(REFRESH_PER_HOUR_MAX, refreshReason)
    .default(0),
  VECTOR_RECALL: z.enum(['on', 'off'], 'must be on or off').default('off'),
  ADMIN_TOKEN: z.string().min(16, 'must have at least 16 characters').optional(),
};

/** Pure: the settings as the server uses them. */
export function indexConfigOf(settings: z.output<z.ZodObject<typeof INDEX_SETTINGS>>): IndexConfig {
  return {
    indexBytesMax: settings.INDEX_BYTES_MAX ?? null,
    cacheBytesMax: settings.CACHE_BYTES_MAX,
    refreshPerHour: settings.REFRESH_PER_HOUR,
    vectorRecall: settings.VECTOR_RECALL === 'on',
    adminToken: settings.ADMIN_TOKEN ?? null,
  };
}
