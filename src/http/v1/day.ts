import * as z from 'zod';

const DATE = /^\d{4}-\d{2}-\d{2}$/;
const TIMESTAMP =
  /^(\d{4}-\d{2}-\d{2})[T ](?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:[.,]\d{1,9})?)?(?:Z|[+-](?:[01]\d|2[0-3]):?[0-5]\d)?$/i;
const REASON = 'must be a date such as 2025-01-31 or a timestamp such as 2025-01-31T12:00:00Z';

/** An ISO 8601 date or timestamp (RFC 3339; without a zone it is UTC) -> its UTC day, YYYY-MM-DD. */
export const day = z
  .string(REASON)
  .meta({ description: 'A date or timestamp (ISO 8601).', examples: ['2025-01-31', '2025-01-31T12:00:00Z'] })
  .transform((text) => parseUtcDay(text.trim()))
  .refine((read) => read !== null, REASON);

function parseUtcDay(text: string): string | null {
  if (isRealDate(text)) return text;
  const written = TIMESTAMP.exec(text)?.[1];
  if (written === undefined || !isRealDate(written)) return null;
  const time = text
    .slice(written.length + 1)
    .replace(',', '.')
    .toUpperCase();
  const zone = /(?:Z|[+-]\d{2}:?\d{2})$/.exec(time)?.[0] ?? '';
  const offset = zone === '' || zone === 'Z' ? 'Z' : zone.replace(/^(.\d{2}):?/, '$1:');
  const moment = Date.parse(`${written}T${time.slice(0, time.length - zone.length)}${offset}`);
  return Number.isNaN(moment) ? null : formatDay(new Date(moment), written);
}

/** Returns the written day if the offset moves the time outside the four-digit years 0000 to 9999. */
function formatDay(moment: Date, written: string): string {
  const iso = moment.toISOString();
  return /^\d{4}-/.test(iso) ? iso.slice(0, 10) : written;
}

/** Rejects days that the month does not have; `Date` alone would turn 30 February into March. */
function isRealDate(text: string): boolean {
  if (!DATE.test(text)) return false;
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().slice(0, 10) === text;
}
