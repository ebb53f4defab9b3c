import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { Failure } from '../../contract/errors.ts';
import {
  ANSWER_TOKENS_DEFAULT,
  ANSWER_TOKENS_MAX,
  ANSWER_TOKENS_MIN,
  CHARS_PER_TOKEN,
} from '../../contract/limits.ts';
import { type Answer, HungUp, type JsonObject } from '../calls/call.ts';
import { readArguments } from './arguments.ts';
import type { Arguments, RouteCall, Tool } from './tool.ts';

/** Maximum characters of a failure. It fits the smallest token budget, so the link in a failure always arrives whole. */
const FAILURE_CHARS_MAX = ANSWER_TOKENS_MIN * CHARS_PER_TOKEN;
const FOOTER_CHARS = 220;
export const KEPT_CHARS_MAX = 32_000_000;

/** The cut answers of one caller, by digest. */
type KeptAnswers = {
  get(digest: string): string | undefined | Promise<string | undefined>;
  set(digest: string, text: string): void;
};

/** The text that the agent reads, and the same as values where the tool has an output schema. */
export type ToolAnswer = { text: string; isError: boolean; structured?: JsonObject };

export type ToolDeps = {
  /** Runs the tool's route. Throws `Failure`, or HungUp when the caller has left. */
  run(call: RouteCall): Promise<Answer>;
  kept: KeptAnswers;
  /** If true, answers say what is charged. */
  isMetered: boolean;
  /** Formats a failure for an agent. */
  word(failure: Failure): string;
};

/** Runs one tool call and returns text within its token budget. Throws only HungUp. */
export async function callTool(tool: Tool, given: unknown, deps: ToolDeps): Promise<ToolAnswer> {
  return catchFailures(() => answerCall(tool, readArguments(given, tool.fields), deps), deps);
}

/** Reads a page without a token budget; the target is `/r/{url}`. Throws only HungUp. */
export async function readWholePage(target: string, deps: ToolDeps): Promise<ToolAnswer> {
  return catchFailures(async () => {
    const { body } = await deps.run({ method: 'GET', path: '/r', target });
    return { text: String(body), isError: false };
  }, deps);
}

async function catchFailures(work: () => Promise<ToolAnswer>, deps: ToolDeps): Promise<ToolAnswer> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof HungUp) throw error;
    const failure =
      error instanceof Failure
        ? error
        : new Failure('internal', 'Something went wrong on the server.', { cause: error });
    return buildFailedAnswer(deps.word(failure));
  }
}

async function answerCall(tool: Tool, args: Arguments, deps: ToolDeps): Promise<ToolAnswer> {
  const cursor = parseCursorArgument(args);
  const tokensMax = parseTokenBudget(args);
  const kept = cursor === null ? undefined : await deps.kept.get(cursor.digest);
  if (cursor !== null && kept !== undefined) return buildPart(kept, { cursor, tokensMax, tool, deps });
  if (cursor !== null && tool.isLong)
    return buildFailedAnswer(
      `cursor: the rest of this answer has expired; call again without the cursor${deps.isMetered ? ' (charged again)' : ''}.`,
    );
  for (const [name, { required }] of Object.entries(tool.fields))
    if (required && args[name] === undefined) throw createMissingFailure(name, tool, cursor);
  const answer = await deps.run({ ...tool.call(args), noStore: isNoStore(args) });
  const { text: written, isFailure, structured } = tool.write(answer.body, args);
  const text = describeIncomplete(answer) + written;
  if (isFailure) return buildFailedAnswer(`${text}${deps.isMetered ? ' (no credits were charged)' : ''}.`);
  if (structured !== undefined) return { text, isError: false, structured };
  const digest = computeDigest(text);
  if (cursor !== null && cursor.digest !== digest) {
    const changed = `(The answer has changed since it was cut; this is its new beginning.)\n\n${text}`;
    return buildPart(changed, {
      cursor: { offset: 0, digest: computeDigest(changed) },
      tokensMax,
      tool,
      deps,
    });
  }
  return buildPart(text, { cursor: cursor ?? { offset: 0, digest }, tokensMax, tool, deps });
}

/** Describes the missing parts. The note comes first, so that an agent does not take their absence for an answer. */
function describeIncomplete({ incomplete = [] }: Answer): string {
  if (incomplete.length === 0) return '';
  return `(Incomplete: there was no time for ${incomplete.join(', ')}. Call again in a moment.)\n\n`;
}

function parseCursorArgument({ cursor }: Arguments): Cursor | null {
  if (cursor === undefined) return null;
  const read = typeof cursor === 'string' ? readCursor(cursor) : null;
  if (read !== null) return read;
  throw createArgumentFailure(
    'cursor',
    'is not a cursor from this server; omit it to start from the beginning',
  );
}

function isNoStore({ store }: Arguments): boolean {
  if (store === undefined || typeof store === 'boolean') return store === false;
  throw createArgumentFailure('store', 'must be true or false');
}

function parseTokenBudget({ max_tokens: wanted }: Arguments): number {
  if (wanted === undefined) return ANSWER_TOKENS_DEFAULT;
  if (typeof wanted !== 'number' || !(wanted > 0))
    throw createArgumentFailure('max_tokens', 'must be a number above 0');
  return Math.min(ANSWER_TOKENS_MAX, Math.max(ANSWER_TOKENS_MIN, Math.floor(wanted)));
}

function createMissingFailure(name: string, tool: Tool, cursor: Cursor | null): Failure {
  if (cursor !== null)
    return createArgumentFailure(
      'cursor',
      'has expired; send it together with the arguments of the first call',
    );
  const example = tool.fields[name]?.kind === 'list' ? `{"${name}": ["..."]}` : `{"${name}": "..."}`;
  return createArgumentFailure(name, `is required, for example ${example}`);
}

function createArgumentFailure(field: string, message: string): Failure {
  return new Failure('validation_error', `${field}: ${message}`, { fields: [{ field, message }] });
}

type PartOptions = { cursor: Cursor; tokensMax: number; tool: Tool; deps: ToolDeps };

function buildPart(text: string, { cursor, tokensMax, tool, deps }: PartOptions): ToolAnswer {
  if (cursor.offset >= text.length && cursor.offset > 0)
    return { text: '(There is nothing left of this answer.)', isError: false };
  const { part, next } = cutPart(text, { offset: cursor.offset, tokensMax, footerChars: FOOTER_CHARS });
  if (next === null) return { text: part, isError: false };
  deps.kept.set(cursor.digest, text);
  const rest = writeCursor({ offset: next, digest: cursor.digest });
  const percent = Math.floor((100 * next) / text.length);
  const footer = `\n\n[${percent} % shown. For the rest, call ${tool.name} again with the same arguments and cursor "${rest}"; ${deps.isMetered ? 'free' : 'kept'} for 15 minutes.]`;
  return { text: part + footer, isError: false };
}

function buildFailedAnswer(text: string): ToolAnswer {
  return { text: text.slice(0, FAILURE_CHARS_MAX), isError: true };
}

/** The place where an answer was cut: the offset of the rest, and the digest of the whole text. */
type Cursor = { offset: number; digest: string };

/** Computes an identifier of a text that cannot be guessed without knowing the text. */
export function computeDigest(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 22);
}

export function writeCursor({ offset, digest }: Cursor): string {
  return `${offset}.${digest}`;
}

/** Returns null for anything that is not a cursor. */
export function readCursor(text: string): Cursor | null {
  const [, offset, digest] = /^\s*(\d{1,9})\.([\w-]{22})\s*$/.exec(text) ?? [];
  return offset === undefined || digest === undefined ? null : { offset: Number(offset), digest };
}

/**
 * Returns the part of a text from `offset` that fits a token budget, and the offset of the rest (null if nothing is left). If
 * something is left, the part leaves `footerChars` of the budget free. Successive parts join to the whole text.
 */
export function cutPart(
  text: string,
  { offset, tokensMax, footerChars }: { offset: number; tokensMax: number; footerChars: number },
): { part: string; next: number | null } {
  assert(0 <= offset && offset <= text.length, 'a part begins within its text');
  const room = tokensMax * CHARS_PER_TOKEN;
  if (text.length - offset <= room) return { part: text.slice(offset), next: null };
  const end = findCut(text, { from: offset, to: offset + Math.max(room - footerChars, 2) });
  assert(offset < end && end <= offset + room, 'a part is not empty and fits its budget');
  return { part: text.slice(offset, end), next: end };
}

const BOUNDARIES = ['\n\n', '\n', '. ', ' '];

/** Finds the last good place to cut in the second half of a range: between paragraphs, else lines, sentences, words or characters. */
function findCut(text: string, { from, to }: { from: number; to: number }): number {
  const half = from + Math.floor((to - from) / 2);
  for (const boundary of BOUNDARIES) {
    const found = text.lastIndexOf(boundary, to - boundary.length);
    if (found >= half) return found + boundary.length;
  }
  const splitsPair = /[\uD800-\uDBFF]/.test(text.charAt(to - 1)) && /[\uDC00-\uDFFF]/.test(text.charAt(to));
  return splitsPair ? to - 1 : to;
}
