import * as z from 'zod';
import type { FieldSupport } from '../text/proof/prove-fields.ts';
import type { WrittenStatement } from '../text/proof/prove-statements.ts';

/** Bounds of what is taken from a reply, whatever the model sends. */
const SUPPORT_MAX = 1_000;
const CHARS_MAX = 4_000;
const DEPTH_MAX = 40;
const THOUGHTS_START = '<think>';
const THOUGHTS_END = '</think>';

const text = z.string().max(CHARS_MAX);
const passage = z
  .union([
    z.number(),
    z
      .string()
      .regex(/^\s*\[?\d{1,4}\]?\s*$/)
      .transform((given) => Number(given.replace(/\D/g, ''))),
  ])
  .pipe(z.number().int());
const Statement = z.object({
  text,
  support: z
    .array(z.object({ passage, quote: text }))
    .max(50)
    .default([]),
});
const Support = z.object({ path: text, passage, quote: text });

/**
 * Reads the statements of a reply. A reply that broke off, or has other text around its JSON, gives the statements that are whole; null if
 * it has none and says not either that there are none.
 */
export function readStatements(reply: string): WrittenStatement[] | null {
  const whole = parseJson(reply);
  const listed = isRecord(whole) && Array.isArray(whole.statements) ? whole.statements : null;
  const found = listed ?? (Array.isArray(whole) ? whole : createObjectScanner()(reply));
  const statements = found.flatMap((one) => Statement.safeParse(one).data ?? []);
  return statements.length === 0 && listed === null ? null : statements;
}

/** Creates the reader of a reply that arrives piece by piece: it returns the statements that each piece completes. */
export function createStatementReader(): { read(text: string): WrittenStatement[] } {
  const scan = createObjectScanner();
  // Until it is known whether the reply begins with thoughts, and where they end.
  let held: string | null = '';
  return {
    read(text) {
      let next = text;
      if (held !== null) {
        held = (held + text).trimStart();
        if (isThinking(held)) return [];
        next = dropThoughts(held);
        held = null;
      }
      return scan(next).flatMap((one) => Statement.safeParse(one).data ?? []);
    },
  };
}

const Verdict = z.object({
  statement: z.number().int(),
  verdict: z.enum(['supported', 'contradicted']),
  support: z.array(z.object({ passage, quote: text })).max(50),
});
/** What the model says about a statement, numbered from 1. */
type Verdict = z.output<typeof Verdict>;

/** Reads verdicts about statements, the first about each; null if the reply has not the form asked for. */
export function readVerdicts(reply: string): Verdict[] | null {
  const whole = parseJson(reply);
  if (!isRecord(whole) || !Array.isArray(whole.verdicts)) return null;
  const verdicts = whole.verdicts.flatMap((one) => Verdict.safeParse(one).data ?? []);
  return verdicts.filter(
    ({ statement }, place) => verdicts.findIndex((one) => one.statement === statement) === place,
  );
}

/** A value by the caller's schema, and the quotations of its parts. */
type FieldsReply = { value: unknown; support: FieldSupport[] };

/** Reads a value with the quotations of its parts; null if the reply is not valid JSON. */
export function readFields(reply: string): FieldsReply | null {
  const whole = parseJson(reply);
  if (!isRecord(whole) || !('value' in whole)) return null;
  const listed = Array.isArray(whole.support) ? whole.support : [];
  const support = listed.flatMap((one) => Support.safeParse(one).data ?? []).slice(0, SUPPORT_MAX);
  return { value: whole.value, support: support.map((one) => ({ ...one, path: toPointer(one.path) })) };
}

/** Converts `$.items[0].name` to the JSON pointer `/items/0/name`. */
function toPointer(path: string): string {
  if (path.startsWith('/')) return path.replace(/^\/value(?=\/)/, '');
  const parts = path
    .replace(/^\$?\.?(?:value(?=[.[]))?/, '')
    .replace(/\[(\d+)\]/g, '.$1')
    .split('.');
  return parts
    .filter((part) => part !== '')
    .map((part) => `/${part}`)
    .join('');
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Parses the JSON of a reply, without the thoughts or the fence around it; null if there is none. */
function parseJson(reply: string): unknown {
  const bare = dropThoughts(reply.trim())
    .trim()
    .replace(/^```(?:json)?|```$/g, '')
    .trim();
  const start = bare.search(/[[{]/);
  const end = Math.max(bare.lastIndexOf('}'), bare.lastIndexOf(']'));
  return start === -1 || end < start ? null : parseOrNull(bare.slice(start, end + 1));
}

/** Models that think aloud do so before anything else. */
function dropThoughts(reply: string): string {
  const end = reply.startsWith(THOUGHTS_START) ? reply.indexOf(THOUGHTS_END) : -1;
  return end === -1 ? reply : reply.slice(end + THOUGHTS_END.length);
}

/** Returns whether a reply that began like this may still be thoughts. */
const isThinking = (begun: string): boolean =>
  begun.length < THOUGHTS_START.length
    ? THOUGHTS_START.startsWith(begun)
    : begun.startsWith(THOUGHTS_START) && !begun.includes(THOUGHTS_END);

function parseOrNull(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/**
 * Creates a scanner that takes a text piece by piece and returns the objects that each piece completes: those that hold a statement are the
 * innermost ones with `support`.
 */
function createObjectScanner(): (text: string) => unknown[] {
  const starts: number[] = [];
  let whole = '';
  let at = 0;
  let isQuoted = false;
  return (text) => {
    const found: unknown[] = [];
    whole += text;
    for (; at < whole.length; at += 1) {
      const char = whole[at];
      if (isQuoted && char === '\\') at += 1;
      else if (char === '"') isQuoted = !isQuoted;
      else if (!isQuoted && char === '{' && starts.length < DEPTH_MAX) starts.push(at);
      else if (!isQuoted && char === '}') {
        const start = starts.pop();
        const slice = start === undefined ? '' : whole.slice(start, at + 1);
        if (slice.includes('"support"')) found.push(parseOrNull(slice));
      }
    }
    return found;
  };
}
