import * as z from 'zod';
import { Failure } from '../../contract/errors.ts';
import { URL_CHARS_MAX } from '../../contract/limits.ts';
import type { TextChange } from '../../text/changes/compare-texts.ts';
import { formatUnifiedDiff, writeChangesAsMarkdown } from '../../text/changes/write-changes.ts';
import type { CompareVersions } from '../../versions/compare-versions.ts';
import type { PageVersion, Versions } from '../../versions/versions.ts';
import type { Answer, Call, JsonObject } from '../calls/call.ts';
import { INSTANT, parseInstant } from '../calls/instant.ts';
import { addScheme, createValidationFailure } from '../calls/json-body.ts';
import { buildMementoUrl, LINK_FORMAT, writeTimeMap } from '../calls/memento.ts';
import type { Parameter } from '../calls/operation.ts';

/** Versions in one answer. */
const LISTED_MAX = 1_000;

const instant = z.string().meta({ examples: ['2026-11-28T10:20:30Z', '2026-11-28'] });
const url: Parameter = {
  name: 'url',
  in: 'query',
  required: true,
  about: 'The address of the page, in any spelling.',
  schema: z.string().max(URL_CHARS_MAX),
};

/** The parameters of GET /v1/versions. */
export const VERSIONS_PARAMETERS: Parameter[] = [
  url,
  {
    name: 'format',
    in: 'query',
    about:
      'link: a time map as RFC 7089 says, in the link format. The same as `Accept: application/link-format`.',
    schema: z.enum(['json', 'link']),
  },
];

/** The parameters of GET /v1/versions/changes. */
export const CHANGES_PARAMETERS: Parameter[] = [
  url,
  {
    name: 'from',
    in: 'query',
    about: 'The version in force then is the earlier one; without it, the one before the later.',
    schema: instant,
  },
  {
    name: 'to',
    in: 'query',
    about: 'The version in force then is the later one; without it, the newest.',
    schema: instant,
  },
  {
    name: 'format',
    in: 'query',
    about: 'json (the default), markdown for people, or unified for a difference line by line.',
    schema: z.enum(['json', 'markdown', 'unified']),
  },
];

/** Opens the versions, of which these routes only list and find some. */
export type OpenListedVersions = () => Promise<Pick<Versions, 'list' | 'findAt'>>;

type VersionDeps = {
  versions: OpenListedVersions;
  /** Returns the address of the service as the caller knows it. */
  addressFor(call: Pick<Call, 'headers'>): string;
};

/** GET /v1/versions: the kept versions of a page, the newest first. Errors: 422 validation_error. */
export function createVersionsHandler({
  versions,
  addressFor,
}: VersionDeps): (call: Call) => Promise<Answer> {
  return async ({ query, headers, tenant, requestId }) => {
    const page = { base: addressFor({ headers }), url: readAddress(query) };
    const found = await (await versions()).list(page.url, { owner: tenant, limit: LISTED_MAX });
    if (query.get('format') === 'link' || headers.accept === LINK_FORMAT) {
      if (found.length === 0) throw new Failure('not_found', 'No version of this page is kept.');
      return { body: writeTimeMap(page, found), headers: { 'content-type': LINK_FORMAT } };
    }
    return {
      body: {
        requestId,
        url: page.url,
        versions: found.map((version) => ({
          ...toVersion(version),
          link: buildMementoUrl(page, version.firstSeenAt),
        })),
      },
    };
  };
}

type ChangesDeps = { versions: OpenListedVersions; compareVersions: CompareVersions };

/** GET /v1/versions/changes: how two versions of a page differ. Errors: 404 not_found, 422 validation_error. */
export function createChangesHandler({
  versions,
  compareVersions,
}: ChangesDeps): (call: Call) => Promise<Answer> {
  return async ({ query, tenant, signal, requestId }) => {
    const format = query.get('format') ?? 'json';
    const pair = await findPair(versions, query, tenant);
    if (format === 'unified') {
      const names = { before: formatInstant(pair.before), after: formatInstant(pair.after) };
      const patch = await compareVersions.byLine(pair, { signal, tenant, names });
      return { body: formatUnifiedDiff(patch), headers: { 'content-type': 'text/plain; charset=utf-8' } };
    }
    const comparison = await compareVersions.byBlock(pair, { signal, tenant });
    if (format === 'markdown')
      return {
        body: writeChangesAsMarkdown(comparison),
        headers: { 'content-type': 'text/markdown; charset=utf-8' },
      };
    const { changes, isChanged, changedShare } = comparison;
    return {
      body: {
        requestId,
        url: pair.after.url,
        from: toVersion(pair.before),
        to: toVersion(pair.after),
        changed: isChanged,
        changedShare,
        changes: changes.map(toChange),
      },
    };
  };
}

/** Finds the two versions that the parameters name. */
async function findPair(
  open: OpenListedVersions,
  query: URLSearchParams,
  owner: string | undefined,
): Promise<{ before: PageVersion; after: PageVersion }> {
  const address = readAddress(query);
  const [from, to] = [readInstant(query, 'from'), readInstant(query, 'to')];
  const versions = await open();
  const listed = await versions.list(address, { owner, limit: LISTED_MAX });
  const after = to === null ? listed[0] : await versions.findAt(address, to, { owner });
  const previous = listed[listed.findIndex(({ id }) => id === after?.id) + 1];
  const before = from === null ? previous : await versions.findAt(address, from, { owner });
  if (after == null || before == null)
    throw new Failure('not_found', 'Of this page fewer than two versions are kept.');
  return { before, after };
}

function readAddress(query: URLSearchParams): string {
  const address = addScheme((query.get('url') ?? '').trim());
  if (address.length <= URL_CHARS_MAX && /^https?:/i.test(address) && URL.canParse(address)) return address;
  throw createValidationFailure([
    { field: 'url', message: 'must be an address such as https://example.org/' },
  ]);
}

function readInstant(query: URLSearchParams, field: string): number | null {
  const text = query.get(field);
  if (text === null) return null;
  const at = parseInstant(text);
  if (at !== null) return at;
  throw createValidationFailure([{ field, message: INSTANT }]);
}

const formatInstant = ({ firstSeenAt }: PageVersion): string => new Date(firstSeenAt).toISOString();

function toVersion(version: PageVersion): JsonObject {
  const { number, title, status, lastSeenAt, visits, contentHash, chars } = version;
  return {
    number,
    title,
    status,
    firstSeen: formatInstant(version),
    lastSeen: new Date(lastSeenAt).toISOString(),
    visits,
    contentHash,
    characters: chars,
  };
}

/** Converts a change to JSON. */
export function toChange({ kind, block, headingPath, before, after, words, noise }: TextChange): JsonObject {
  return { kind, block, headingPath, before, after, words, noise };
}
