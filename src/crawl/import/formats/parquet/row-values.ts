/** Maximum levels of nested values that are read. */
const LEVELS_MAX = 12;
const HEADINGS_LEVEL_MAX = 6;

/**
 * Formats a value of a table as Markdown. Texts are unchanged, lists give their values in order, and objects give their name as a heading,
 * then their value and parts, as Wikipedia's structured dumps nest them. JSON in a text is parsed first.
 */
export function formatAsMarkdown(value: unknown, level = 1): string {
  if (value === null || value === undefined || level > LEVELS_MAX) return '';
  if (typeof value === 'string') return formatNested(value, level);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? '' : value.toISOString();
  if (Array.isArray(value)) return joinTexts(value.map((one) => formatAsMarkdown(one, level)));
  if (typeof value !== 'object') return String(value);
  const part = value as Record<string, unknown>;
  if (typeof part.identifier === 'string' && part.value === undefined && part.has_parts === undefined)
    return part.identifier;
  const name = typeof part.name === 'string' ? part.name.trim() : '';
  const parts = joinTexts([
    formatAsMarkdown(part.value, level + 1),
    formatAsMarkdown(part.values, level + 1),
    formatAsMarkdown(part.has_parts, level + 1),
  ]);
  if (name === '' || parts === '') return parts === '' ? name : parts;
  return /^(?:field|list_item)$/.test(String(part.type))
    ? `${name}: ${parts}`
    : `${'#'.repeat(Math.min(level + 1, HEADINGS_LEVEL_MAX))} ${name}\n\n${parts}`;
}

const joinTexts = (texts: string[]): string => texts.filter((text) => text !== '').join('\n\n');

function formatNested(text: string, level: number): string {
  if (!/^\s{0,9}\[\s{0,9}\{/.test(text)) return text;
  try {
    return formatAsMarkdown(JSON.parse(text), level + 1);
  } catch {
    return text;
  }
}

/** Numbers below this are seconds, others milliseconds: the year 2286 in seconds, 1970 in milliseconds. */
const SECONDS_MAX = 1e10;

/** Parses a date, a text that holds one, or a number of seconds or milliseconds, to milliseconds since the epoch; else null. */
export function parseInstant(value: unknown): number | null {
  if (value instanceof Date) return toValidTime(value.getTime());
  if (typeof value === 'bigint' || typeof value === 'number') {
    const number = Number(value);
    return toValidTime(number < SECONDS_MAX ? number * 1_000 : number);
  }
  if (typeof value !== 'string') return null;
  // 20240506 and 20240506070809, as archives write them.
  const digits = /^(\d{4})(\d{2})(\d{2})(?:(\d{2})(\d{2})(\d{2}))?$/.exec(value.trim());
  if (digits === null) return toValidTime(Date.parse(value));
  const [, year, month, day, hours = '00', minutes = '00', seconds = '00'] = digits;
  return toValidTime(Date.parse(`${year}-${month}-${day}T${hours}:${minutes}:${seconds}Z`));
}

/** The end of the year 9999; larger numbers are micro- or nanoseconds, or not dates. */
const TIME_MAX = 253_402_300_799_999;

const toValidTime = (time: number): number | null => (time > 0 && time <= TIME_MAX ? Math.round(time) : null);
