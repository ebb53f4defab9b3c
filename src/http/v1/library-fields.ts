import * as z from 'zod';
import { LIBRARIES_MAX, LIBRARY_NAME_CHARS_MAX, PRIVATE_SITES } from '../../contract/limits.ts';
import { LIBRARY_PAGE_KINDS } from '../../libraries/library-types.ts';
import type {
  ChosenLibrary,
  LibraryChoice,
  LibraryViewer,
  LibraryWish,
  ResultPlace,
} from '../../libraries/search/library-catalog.ts';
import type { SearchAnswer } from '../../search/search-types.ts';
import type { CollectionChoice } from '../../sites/collections.ts';
import type { PrivateSites } from '../../sites/private-sites.ts';
import type { Call, Caller, JsonObject } from '../calls/call.ts';
import { findPayer } from '../calls/caller.ts';
import { createValidationFailure } from '../calls/json-body.ts';

/** Fields that restrict a search to the documentation of libraries, in every route that searches it. */

/** One string counts as a list of one. */
const createListSchema = <Item extends z.ZodType>(
  item: Item,
  { max, problem }: { max: number; problem: string },
) =>
  z.preprocess(
    (given) => (typeof given === 'string' ? [given] : given),
    z.array(item, problem).max(max, `must have at most ${max} entries`),
  );

const name = z
  .string('must be a string')
  .max(LIBRARY_NAME_CHARS_MAX, `must have at most ${LIBRARY_NAME_CHARS_MAX} characters`)
  .refine((text) => text.trim() !== '', 'must not be empty')
  .meta({ pattern: '\\S' });

export const libraryFields = {
  library: createListSchema(name, {
    max: LIBRARIES_MAX,
    problem: 'must be the name of a library or an array of names',
  })
    .meta({
      also: [{ type: 'string', maxLength: LIBRARY_NAME_CHARS_MAX, pattern: '\\S' }],
      description:
        'Only the documentation of these libraries: `fastify`, `fastify@5` or `npm:fastify@5.1.0`. Without a version: the one of `project`, else the newest that is held.',
      examples: [['fastify@5', 'pypi:django']],
    })
    .optional(),
  kind: createListSchema(z.enum(LIBRARY_PAGE_KINDS, `must be one of ${LIBRARY_PAGE_KINDS.join(', ')}`), {
    max: LIBRARY_PAGE_KINDS.length,
    problem: `must be one of ${LIBRARY_PAGE_KINDS.join(', ')}, or an array of them`,
  })
    .meta({
      also: [{ type: 'string', enum: LIBRARY_PAGE_KINDS }],
      description: 'Only pages of these kinds; without `library`, of all libraries that are held.',
      examples: [['guide', 'api']],
    })
    .optional(),
  project: z
    .string('must be a string')
    .max(LIBRARY_NAME_CHARS_MAX, `must have at most ${LIBRARY_NAME_CHARS_MAX} characters`)
    .meta({
      description:
        'A project that was added on this server, by its folder or the last part of it: the versions in its lock file count, and without `library` all of its libraries are searched. Only for callers whose calls are not metered, and for the keys that it was added for.',
      examples: ['shop'],
    })
    .optional(),
};

/** Names of profiles and collections, which stand in paths and commands. */
const PRIVATE_NAME = new RegExp(`^[a-z0-9][a-z0-9._-]{0,${PRIVATE_SITES.nameCharsMax - 1}}$`);
export const privateName = z
  .string('must be a string')
  .regex(
    PRIVATE_NAME,
    `must have lower-case letters, digits, ".", "_" and "-", at most ${PRIVATE_SITES.nameCharsMax}`,
  );

/** One name, or several. */
export const collectionField = z
  .preprocess(
    (given) => (typeof given === 'string' ? [given] : given),
    z
      .array(privateName, 'must be the name of a collection or an array of names')
      .min(1, 'must name a collection')
      .max(PRIVATE_SITES.namesMax, `must have at most ${PRIVATE_SITES.namesMax} entries`),
  )
  .meta({
    also: [{ type: 'string', pattern: PRIVATE_NAME.source }],
    description:
      'Only pages of these collections, which are yours or which your key may search: pages behind a login that were read for their owner.',
    examples: [['intranet']],
  })
  .optional();

type LibraryFields = z.output<z.ZodObject<typeof libraryFields>>;

/** Returns what a request asks of libraries; null if nothing. */
export function buildWish({ library, kind, project }: LibraryFields): LibraryWish | null {
  if (library === undefined && kind === undefined && project === undefined) return null;
  return { libraries: library ?? [], kinds: kind ?? [], project: project ?? null };
}

/** Callers who are not metered use the server as their own; a key sees what was added for it. */
export function toViewer(caller: Caller): LibraryViewer {
  if (caller.kind === 'unmetered') return { kind: 'server' };
  return caller.kind === 'key' ? { kind: 'key', keyId: caller.keyId } : { kind: 'anyone' };
}

/** The answer of a search, with the libraries that it was restricted to. */
export type ScopedAnswer = SearchAnswer & {
  scope?: { choice: LibraryChoice; places: Map<string, ResultPlace> };
};

/** `npm:fastify`. */
export const formatLibrary = ({ ecosystem, name: bare }: Pick<ChosenLibrary, 'ecosystem' | 'name'>): string =>
  `${ecosystem}:${bare}`;

export const toChosenLibrary = (library: ChosenLibrary): JsonObject => ({
  library: formatLibrary(library),
  version: library.version,
  by: library.by,
});

/** Returns the field of a result that says what it documents, and where it is at that version. */
export function toLibraryField(place: ResultPlace | undefined): JsonObject {
  if (place === undefined) return {};
  const { version, kind, licence, url } = place;
  return { library: { library: formatLibrary(place), version, kind, licence, url } };
}

/** Chooses the collections of a search. Throws `Failure('validation_error')` for a name of which the caller may search none. */
export async function chooseCollections(
  sites: PrivateSites | null,
  names: readonly string[],
  { caller, tenant }: Pick<Call, 'caller' | 'tenant'>,
): Promise<CollectionChoice> {
  if (sites === null)
    throw createValidationFailure([{ field: 'collection', message: 'this server has no collections' }]);
  const payer = findPayer(caller);
  const keyId = payer.kind === 'key' ? payer.keyId : null;
  return sites.collections.choose(names, { owner: sites.findOwner(tenant), keyId });
}
