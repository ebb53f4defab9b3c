import type { SourceAnswer, SourceItem, SourceResponse } from '../source.ts';
import { ANSWER_CHARS_MAX, type BadAnswer, createFailedAnswer, judgeAnswer } from './judge-answer.ts';
import { tidyItems } from './tidy-items.ts';

type JsonReader = {
  /** The meaning of an error that the source reports in its own words; null leaves it to the status. Called for every status. */
  complaint?(root: unknown, status: number): BadAnswer | null;
  /** The list of results; null if the answer has an unexpected shape. */
  entries(root: unknown): unknown[] | null;
  item(entry: unknown, root: unknown): SourceItem | null;
  /** Whether an empty list is trusted as the source's answer; true by default. */
  emptyIsProven?: boolean;
  quotaLeft?(root: unknown, response: SourceResponse): number | null;
  pauseMs?(root: unknown): number | null;
};

/** Reads an answer in JSON. Never throws: anything else becomes a bad answer. */
export function readJson(response: SourceResponse, reader: JsonReader): SourceAnswer {
  const bad = judgeAnswer(response, 'json');
  const root =
    bad === null || response.body.length <= ANSWER_CHARS_MAX ? parseJson(response.body) : undefined;
  const complaint = root === undefined ? null : (reader.complaint?.(root, response.status) ?? null);
  if (complaint !== null) return complaint;
  if (bad !== null) return bad;
  if (root === undefined) return createFailedAnswer('broken JSON');
  const entries = reader.entries(root);
  const items = entries === null ? null : tidyItems(entries, (entry) => reader.item(entry, root));
  if (entries === null || items === null) return createFailedAnswer('the answer has an unexpected shape');
  const pauseMs = reader.pauseMs?.(root) ?? null;
  return {
    kind: 'ok',
    items,
    proven: entries.length > 0 || reader.emptyIsProven !== false,
    quotaLeft: reader.quotaLeft?.(root, response) ?? null,
    ...(pauseMs === null ? {} : { pauseMs }),
  };
}

/** Undefined for anything but JSON. Nesting needs no bound: this parser does not recurse. */
function parseJson(body: string): unknown {
  try {
    return JSON.parse(body) as unknown;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** The last number of a header such as `x-ratelimit-remaining: 1, 1832`. */
export function parseLastNumber(header: string | undefined): number | null {
  const digits = /(?:^|,)\s*(\d{1,12})\s*$/.exec(header ?? '')?.[1];
  return digits === undefined ? null : Number(digits);
}
