/**
 * Texts that the operator's model writes, as the routes of all shapes deliver them: the passages they are written from, their numbered
 * sources and their proofs. It prices nothing itself, and a text that could not be written is a reason, not a failure: its route goes on
 * with quotations.
 */
import * as z from 'zod';
import type { LatePart } from '../../search/late-parts.ts';
import type { SearchAnswer, SearchResult } from '../../search/search-types.ts';
import { buildTextFragmentLink } from '../../text/citations/text-fragment.ts';
import type { SourcePassage } from '../../text/proof/prove-statements.ts';
import { isEmpty } from '../../writing/fit-value.ts';
import type {
  Grounding,
  WriteRequest,
  Writer,
  WritingProblem,
  WrittenClaim,
  WrittenText,
} from '../../writing/writer.ts';
import type { JsonObject } from '../calls/call.ts';
import { isObject } from '../calls/json-body.ts';

/** A page that a written text stands on. */
type WrittenSource = { url: string; title: string };

/** Why nothing was written. `nothing`: no statement passed the check; `unpaid`: the caller has too few credits. */
type NotWritten = WritingProblem | 'nothing' | 'unpaid';

/** A written text with its sources, numbered from 1 in this order; `statements` as answers show them. */
export type TextPart = {
  kind: 'text';
  /** With the numbers of its sources in brackets, and without. */
  text: string;
  plain: string;
  sentences: string[];
  statements: JsonObject[];
  sources: WrittenSource[];
  dropped: number;
  /** False: the model broke off, and this is what was proved before. */
  isWhole: boolean;
};

/** A value by the caller's schema, the proofs of its fields, and the fields without one. */
export type FieldsPart = {
  kind: 'fields';
  value: unknown;
  proofs: JsonObject[];
  sources: WrittenSource[];
  unproved: { path: string; reason: string }[];
};

export type WrittenPart = TextPart | FieldsPart | { kind: 'none'; why: NotWritten };

/** Nothing is written for a caller whose credits do not pay for it. */
export const NO_CREDITS: WrittenPart = { kind: 'none', why: 'unpaid' };

const SCHEMA_CHARS_MAX = 20_000;
export const INSTRUCTIONS_CHARS_MAX = 4_000;

/** A JSON schema of the caller's, as an object. */
export const schemaField = z
  .record(z.string(), z.unknown(), 'must be a JSON schema')
  .refine(
    (schema) => JSON.stringify(schema).length <= SCHEMA_CHARS_MAX,
    `must have at most ${SCHEMA_CHARS_MAX.toLocaleString('en')} characters`,
  );

export const instructionsField = z
  .string('must be a string')
  .max(INSTRUCTIONS_CHARS_MAX, `must have at most ${INSTRUCTIONS_CHARS_MAX.toLocaleString('en')} characters`)
  .transform((text) => (text.trim() === '' ? null : text));

export type WritePartRequest = Pick<
  WriteRequest,
  'task' | 'passages' | 'signal' | 'tenant' | 'keep' | 'onClaim'
> & {
  instructions?: string | null | undefined;
  grounding?: Grounding | undefined;
  /** Null: prose. */
  schema?: Record<string, unknown> | null | undefined;
};

/** Writes prose, or the fields of a schema, from passages. Throws only if the caller hangs up. */
export async function writePart(writer: Writer, request: WritePartRequest): Promise<WrittenPart> {
  const { schema = null, instructions = null, grounding = 'strict', ...call } = request;
  if (call.passages.length === 0) return { kind: 'none', why: 'nothing' };
  const asked = { ...call, instructions, grounding };
  if (schema !== null) {
    const written = await writer.writeFields({ ...asked, schema });
    if (!written.ok) return { kind: 'none', why: written.problem };
    if (isEmpty(written.value)) return { kind: 'none', why: 'nothing' };
    const { passages } = written;
    const sources = listSources(
      written.proofs.flatMap(({ quotes }) => quotes),
      passages,
    );
    const proofs = written.proofs.map(({ path, quotes }) => ({
      path,
      citations: quotes.map((quote) => toProof(quote, passages, sources)),
    }));
    return { kind: 'fields', value: written.value, proofs, sources, unproved: written.unproved };
  }
  const written = await writer.writeStatements(asked);
  if (!written.ok) return { kind: 'none', why: written.problem };
  return written.claims.length === 0 ? { kind: 'none', why: 'nothing' } : buildTextPart(written);
}

/** Builds a text from statements: their sources are numbered in the order in which they are first cited. */
export function buildTextPart({ claims, dropped, isWhole, passages }: WrittenText): TextPart {
  const sources = listSources(
    claims.flatMap(({ quotes }) => quotes),
    passages,
  );
  const sentences = claims.map((claim) => formatSentence(claim, passages, sources));
  const statements = claims.map(({ text, isProved, quotes }) => ({
    text,
    proved: isProved,
    citations: quotes.map((quote) => toProof(quote, passages, sources)),
  }));
  const plain = claims.map(({ text }) => text).join(' ');
  const text = sentences.join(' ');
  return { kind: 'text', text, plain, sentences, statements, sources, dropped, isWhole };
}

type Quote = WrittenClaim['quotes'][number];

/** Lists the pages that quotations stand on, each once. */
function listSources(quotes: readonly Quote[], passages: readonly SourcePassage[]): WrittenSource[] {
  const pages = quotes.flatMap(({ passage }) => passages[passage] ?? []);
  return [...new Map(pages.map(({ url, title }) => [url, { url, title }])).values()];
}

function toProof(
  { passage, quote, start, end }: Quote,
  passages: readonly SourcePassage[],
  sources: readonly WrittenSource[],
): JsonObject {
  const { url = '', text = '' } = passages[passage] ?? {};
  const source = sources.findIndex((one) => one.url === url) + 1;
  return { source, url, quote, link: buildTextFragmentLink(url, text, { start, end }) };
}

const UNPROVED = ' (unproved)';

/** Formats a statement with the numbers of its sources: `It runs. [1][2]`. */
function formatSentence(
  { text, isProved, quotes }: WrittenClaim,
  passages: readonly SourcePassage[],
  sources: readonly WrittenSource[],
): string {
  const numbers = quotes.map(
    ({ passage }) => sources.findIndex(({ url }) => url === passages[passage]?.url) + 1,
  );
  const marks = [...new Set(numbers)].map((number) => `[${number}]`).join('');
  return isProved ? `${text} ${marks}` : `${text}${UNPROVED}`;
}

/** Maximum passages that a text is written from. */
const PASSAGES_MAX = 40;

/** Collects the passages of results: the best one of each page first, then the second ones. */
export function collectPassages(
  results: readonly Pick<SearchResult, 'url' | 'title' | 'highlights'>[],
  answer?: SearchAnswer['answer'],
): SourcePassage[] {
  const deepest = Math.max(0, ...results.map(({ highlights = [] }) => highlights.length));
  const rounds = Array.from({ length: deepest }, (_, round) =>
    results.flatMap(({ url, title, highlights = [] }) => {
      const text = highlights[round];
      return text === undefined ? [] : [{ url, title, text }];
    }),
  );
  const quoted = answer ? [{ url: answer.url, title: answer.title, text: answer.text }] : [];
  const seen = new Set<string>();
  return [...quoted, ...rounds.flat()]
    .filter(({ text }) => !seen.has(text) && seen.add(text))
    .slice(0, PASSAGES_MAX);
}

/** Names the part that a model did not write, or not to its end, although it was asked to: time, calls or tokens ran out, or it failed. */
export function listUnwritten(part: WrittenPart | null): LatePart[] {
  if (part?.kind === 'text') return part.isWhole ? [] : ['writing'];
  return part?.kind === 'none' && part.why !== 'nothing' && part.why !== 'unpaid' ? ['writing'] : [];
}

/** Builds the field `service.writing`: what became of the written text; empty where none was asked for. */
export function buildWritingField(part: WrittenPart | null): JsonObject {
  if (part === null) return {};
  if (part.kind === 'none') return { writing: { state: part.why } };
  const { kind } = part;
  return {
    writing:
      kind === 'text'
        ? { state: 'written', dropped: part.dropped }
        : { state: 'written', dropped: part.unproved.length },
  };
}

/** Reads a schema that a client may send as an object or as JSON text; null if it is neither. */
export function parseSchema(given: unknown): Record<string, unknown> | null {
  if (typeof given === 'string' && given.length <= SCHEMA_CHARS_MAX) {
    try {
      const parsed: unknown = JSON.parse(given);
      return isObject(parsed) ? parsed : null;
    } catch (error) {
      if (error instanceof SyntaxError) return null;
      throw error;
    }
  }
  return isObject(given) ? given : null;
}

/** Builds a value without anything in it, for clients that read the fields of their schema unchecked. */
export function buildNullValue({ properties }: Record<string, unknown>): JsonObject {
  return isObject(properties) ? Object.fromEntries(Object.keys(properties).map((name) => [name, null])) : {};
}

/** Says that an operation needs a model, and names the setting. */
export const NEEDS_MODEL =
  'It takes a model, which the operator of this service has not set (MODEL_URL, MODEL_NAME).';

/** Lists the quotations from one page that a written text stands on. */
export function listQuotes(part: TextPart | FieldsPart, url: string): string[] {
  const proofs = part.kind === 'text' ? part.statements : part.proofs;
  const citations = proofs.flatMap(({ citations: cited }) => cited as { url: string; quote: string }[]);
  return [...new Set(citations.filter((one) => one.url === url).map(({ quote }) => quote))];
}
