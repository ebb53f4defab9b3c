import { readdirSync, readFileSync, statfsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { DAY_MS } from '../../platform/clock.ts';
import { toOk, toWarning, type Verdict } from '../check-result.ts';

/** The size of the data folder at an instant. */
export type DiskSample = { at: number; bytes: number };

const DISK_FREE_BYTES_MIN = 1_073_741_824;
/** File with samples of earlier runs, from which growth is estimated. */
const SAMPLES_FILE = 'doctor-disk.json';
const SAMPLES_MAX = 60;
const SAMPLE_EVERY_MS = 3_600_000;
/** Growth is estimated from samples at least this far apart, and at most this old. */
const SPAN_MS_MIN = DAY_MS;
const AGE_MS_MAX = 30 * DAY_MS;
/** Days until the disk is full below which the check warns. */
const DAYS_LEFT_MIN = 30;

const Samples = z.array(z.object({ at: z.number(), bytes: z.number() }));

/** Checks free space, the size of the data folder, its growth since earlier runs, and when the disk will be full. */
export function checkDisk(dataDir: string, now: number): Verdict {
  const { bavail, bsize } = statfsSync(dataDir);
  const sample = { at: now, bytes: measureFolder(dataDir) };
  const samples = readSamples(dataDir);
  if (now - (samples.at(-1)?.at ?? 0) >= SAMPLE_EVERY_MS) {
    const kept = JSON.stringify([...samples, sample].slice(-SAMPLES_MAX));
    writeFileSync(join(dataDir, SAMPLES_FILE), kept, { mode: 0o600 });
  }
  return judgeDisk({ free: bavail * bsize, sample, samples });
}

/** Pure: judges free space and growth. */
export function judgeDisk(disk: {
  free: number;
  sample: DiskSample;
  samples: readonly DiskSample[];
}): Verdict {
  const { free, sample, samples } = disk;
  const sizes = `${formatGigabytes(free)} free, ${formatGigabytes(sample.bytes)} used by the data folder`;
  if (free < DISK_FREE_BYTES_MIN)
    return toWarning(
      `${sizes}: the index and the page cache need more; set DATA_DIR to a folder on a larger disk`,
    );
  const first = samples.find(({ at }) => sample.at - at <= AGE_MS_MAX);
  if (first === undefined || sample.at - first.at < SPAN_MS_MIN)
    return toOk(`${sizes}; growth is known a day after the first run`);
  const bytesPerDay = ((sample.bytes - first.bytes) / (sample.at - first.at)) * DAY_MS;
  if (bytesPerDay <= 0) return toOk(`${sizes}, not growing`);
  const days = Math.floor(free / bytesPerDay);
  const growth = `${sizes}, growing by ${(bytesPerDay / 1e6).toFixed(1)} MB a day`;
  if (days >= DAYS_LEFT_MIN) return toOk(`${growth}: enough for ${days > 3_650 ? 'years' : `${days} days`}`);
  return toWarning(`${growth}: full in ${days} days; set DATA_DIR to a folder on a larger disk`);
}

const formatGigabytes = (bytes: number): string => `${(bytes / 1e9).toFixed(bytes < 1e9 ? 3 : 1)} GB`;

function measureFolder(folder: string): number {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  // A file may vanish between the two: SQLite removes those it no longer needs.
  const bytes = files.map(
    (entry) => statSync(join(entry.parentPath, entry.name), { throwIfNoEntry: false })?.size ?? 0,
  );
  return bytes.reduce((sum, one) => sum + one, 0);
}

/** Reads the samples; none if the file is absent or damaged, because it is only a record of earlier runs. */
function readSamples(dataDir: string): DiskSample[] {
  try {
    return Samples.parse(JSON.parse(readFileSync(join(dataDir, SAMPLES_FILE), 'utf8')));
  } catch {
    return [];
  }
}
