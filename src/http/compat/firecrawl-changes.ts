import * as z from 'zod';
import { Failure } from '../../contract/errors.ts';
import type { Page } from '../../pages/article.ts';
import { isGone } from '../../pages/load-page.ts';
import type { Tenant } from '../../platform/fairness/fair-queue.ts';
import { formatUnifiedDiff } from '../../text/changes/write-changes.ts';
import type { LinePatch } from '../../versions/compare-versions.ts';
import type { TrackChanges, TrackedChange } from '../../versions/track-changes.ts';
import type { JsonObject } from '../calls/call.ts';
import { isObject } from '../calls/json-body.ts';
import { toChange } from '../v1/versions.ts';

const TAG_CHARS_MAX = 128;
const MODES = ['git-diff', 'json'] as const;

/** The options of changes in a document. */
export type ChangeRequest = {
  modes: ReadonlySet<(typeof MODES)[number]>;
  /** Tells several histories of one caller apart. */
  tag: string;
  /** Options that need a model. */
  ignored: string[];
};

/** The options of changes, as a field of their own beside `formats`. */
export const changeTrackingOptions = z
  .unknown()
  .meta({
    description:
      'How the format changeTracking is wanted: {modes: ["git-diff", "json"], tag}. May also be given with the format.',
    examples: [{ modes: ['git-diff'] }],
  })
  .transform((given): JsonObject => (isObject(given) ? given : {}))
  .prefault({});

/** Reads the options of changes, from the format or the field beside it. */
export function parseChangeRequest(options: JsonObject, complain: (message: string) => void): ChangeRequest {
  const { modes = [], tag = '' } = options;
  const given = Array.isArray(modes) ? modes : [modes];
  const known = MODES.filter((mode) => given.includes(mode));
  if (known.length < new Set(given).size)
    complain(`changeTracking must have modes among ${MODES.join(', ')}`);
  if (tag !== null && (typeof tag !== 'string' || tag.length > TAG_CHARS_MAX))
    complain(`changeTracking must have a tag of at most ${TAG_CHARS_MAX} characters`);
  const ignored = ['schema', 'prompt'].filter(
    (name) => options[name] !== undefined && options[name] !== null,
  );
  return { modes: new Set(known), tag: String(tag ?? ''), ignored };
}

/** The changes of a page. */
export const ChangeTracking = z
  .looseObject({
    previousScrapeAt: z.string().nullable().meta({ description: 'When you read the page before, or null.' }),
    changeStatus: z.enum(['new', 'same', 'changed', 'removed']).meta({
      description: 'same: nothing differs but noise, such as the date of the page or a counter.',
    }),
    visibility: z.enum(['visible', 'hidden']).meta({ description: 'Always visible.' }),
    diff: z
      .object({
        text: z.string().meta({ description: 'A unified diff.' }),
        json: z.unknown().meta({ description: 'The same as files, chunks and numbered lines.' }),
      })
      .optional()
      .meta({ description: 'Line by line; with the mode git-diff.' }),
    json: z.unknown().optional().meta({
      description: 'With the mode json: `changes`, block by block, with quotations before and after.',
    }),
  })
  .meta({ title: 'ChangeTracking' });

type ReadByCaller = {
  url: string;
  page: Pick<Page, 'article' | 'fetchedAt'> & { privacy?: Page['privacy'] };
};
type TrackOptions = Parameters<TrackChanges['track']>[1];

/** Compares a page with what its caller read before. */
export async function describeChanges(
  changes: TrackChanges,
  request: ChangeRequest,
  { url, tenant, page, ...options }: ReadByCaller & TrackOptions,
): Promise<JsonObject> {
  const { article, fetchedAt: at, privacy = null } = page;
  const visit = { url, article, at, owner: tenant ?? '', tag: request.tag, isPrivate: privacy !== null };
  return toChangeTracking(await changes.track(visit, { signal: options.signal, tenant }), request);
}

/** Returns the document of a page that is gone; null if the failure says something else, or the caller has not read it before. */
export async function describeRemoval(
  changes: TrackChanges,
  request: ChangeRequest,
  { error, url, tenant, at }: { error: unknown; url: string; tenant?: Tenant; at: number },
): Promise<{ changeTracking: JsonObject; metadata: JsonObject } | null> {
  if (!(error instanceof Failure) || !isGone(error)) return null;
  const change = await changes.trackGone({ url, owner: tenant ?? '', tag: request.tag, at });
  if (change === null) return null;
  const statusCode = error.fetch?.httpStatus ?? 404;
  return {
    changeTracking: toChangeTracking(change, request),
    metadata: { title: '', url, sourceURL: url, statusCode, cacheState: 'miss' },
  };
}

function toChangeTracking(
  { status, previousAt, comparison, patch }: TrackedChange,
  { modes }: ChangeRequest,
): JsonObject {
  const isShown = status === 'changed';
  return {
    previousScrapeAt: previousAt === null ? null : new Date(previousAt).toISOString(),
    changeStatus: status,
    visibility: 'visible',
    ...(isShown && patch !== null && modes.has('git-diff')
      ? { diff: { text: formatUnifiedDiff(patch), json: toParsedDiff(patch) } }
      : {}),
    ...(isShown && comparison !== null && modes.has('json')
      ? { json: { changes: comparison.changes.map(toChange) } }
      : {}),
  };
}

/** Converts hunks to the objects that this shape gives: files with chunks of numbered lines. */
function toParsedDiff({ oldFileName, newFileName, hunks }: LinePatch): JsonObject {
  return {
    files: [
      {
        from: oldFileName,
        to: newFileName,
        chunks: hunks.map(({ oldStart, oldLines, newStart, newLines, lines }) => ({
          content: `@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`,
          oldStart,
          oldLines,
          newStart,
          newLines,
          changes: numberLines(lines, { before: oldStart, after: newStart }),
        })),
      },
    ],
  };
}

function numberLines(lines: readonly string[], start: { before: number; after: number }): JsonObject[] {
  let { before, after } = start;
  return lines.map((content) => {
    const [ln1, ln2] = [before, after];
    if (!content.startsWith('+')) before += 1;
    if (!content.startsWith('-')) after += 1;
    if (content.startsWith('+')) return { type: 'add', add: true, ln: ln2, content };
    if (content.startsWith('-')) return { type: 'del', del: true, ln: ln1, content };
    return { type: 'normal', normal: true, ln1, ln2, content };
  });
}
