import type { Arguments, ToolArgument, ToolArguments } from './tool.ts';

/**
 * Reads the arguments of a tool call leniently. Agents write "5" for 5, "true" for true, one string for a list, JSON in a
 * string, and names in camelCase: all are accepted. Unknown names are dropped; null and blank text count as absent.
 */
export function readArguments(given: unknown, fields: ToolArguments): Arguments {
  const args: Arguments = {};
  for (const [written, value] of Object.entries(parseObject(given))) {
    const name = findArgumentName(written, fields);
    const field = name === null ? undefined : fields[name];
    if (name === null || field === undefined || isBlank(value)) continue;
    // The defined name wins over its aliases.
    if (!(name in args) || normalizeName(written) === normalizeName(name))
      args[name] = readValue(value, field);
  }
  return args;
}

/** Returns the arguments as an object, parsed if they came as JSON in a string; empty for anything else. */
export function parseObject(given: unknown): Record<string, unknown> {
  const value = typeof given === 'string' ? tryParseJson(given) : given;
  // Checked: an object that is not an array is a record of unknown values.
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};
}

/** `maxResults`, `max-results`, `Max Results` -> `max_results`. */
export function normalizeName(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/[\s-]+/g, '_')
    .toLowerCase();
}

function findArgumentName(written: string, fields: ToolArguments): string | null {
  const name = normalizeName(written);
  const names = Object.keys(fields);
  const defined = names.find((known) => normalizeName(known) === name);
  return defined ?? names.find((known) => fields[known]?.aliases?.includes(name)) ?? null;
}

const isBlank = (value: unknown): boolean =>
  value === null || value === undefined || (typeof value === 'string' && value.trim() === '');

function readValue(value: unknown, field: ToolArgument): unknown {
  switch (field.kind) {
    case 'text':
      return readText(value);
    case 'count':
    case 'number':
      return readNumber(value);
    case 'flag':
      return readFlag(value);
    case 'list':
      return readList(value, field.separator);
  }
}

function readText(value: unknown): unknown {
  if (Array.isArray(value) && value.length === 1) return readText(value[0]);
  // A lone surrogate cannot be encoded in an address.
  if (typeof value === 'string') return value.toWellFormed();
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;
}

function readNumber(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  const number = Number(value.replace(/(?<=\d)[,_](?=\d{3}\b)/g, ''));
  return Number.isFinite(number) ? number : value;
}

function readFlag(value: unknown): unknown {
  const written = readText(value);
  if (typeof written !== 'string') return value;
  if (/^(?:true|yes|on|1)$/i.test(written)) return true;
  return /^(?:false|no|off|0)$/i.test(written) ? false : value;
}

function readList(value: unknown, separator: RegExp | undefined): unknown {
  if (Array.isArray(value)) return value.filter((entry) => !isBlank(entry)).map(readText);
  if (typeof value !== 'string') return typeof value === 'number' ? [String(value)] : value;
  const listed = value.trim().startsWith('[') ? tryParseJson(value) : null;
  if (Array.isArray(listed)) return readList(listed, separator);
  if (separator === undefined) return [value];
  return value
    .split(separator)
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}

function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
