import * as z from 'zod';
import { PRICES } from '../../billing/ledger/prices.ts';
import {
  DOCS_TOKENS_DEFAULT,
  DOCS_TOKENS_MAX,
  DOCS_TOKENS_MIN,
  LIBRARY_NAME_CHARS_MAX,
} from '../../contract/limits.ts';
import type { FoundLibrary, LibraryCatalog } from '../../libraries/search/library-catalog.ts';
import type { DocsPassage, SearchDocs } from '../../libraries/search/search-docs.ts';
import type { Answer, Call, JsonObject, PricedRoute } from '../calls/call.ts';
import { createWholeNumberSchema } from '../calls/field-schemas.ts';
import { buildIgnoredHeader, buildKnownFields, findIgnoredFields } from '../calls/ignored-fields.ts';
import { buildIncompleteField, computeSearchCredits } from '../calls/incomplete.ts';
import { parseBody, roundScore } from '../calls/json-body.ts';
import type { Parameter } from '../calls/operation.ts';
import { query } from './content-fields.ts';
import { buildCostDollars } from './cost.ts';
import { buildWish, formatLibrary, libraryFields, toChosenLibrary, toViewer } from './library-fields.ts';

/** Libraries in one answer. */
const LISTED_MAX = 200;

/** The parameters of GET /v1/libraries. */
export const LIBRARIES_PARAMETERS: Parameter[] = [
  {
    name: 'query',
    in: 'query',
    about: 'A name, also with slips of spelling, or another name that people use; without it all are listed.',
    schema: z
      .string()
      .max(LIBRARY_NAME_CHARS_MAX)
      .meta({ examples: ['fastify'] }),
  },
];

/** GET /v1/libraries: the libraries whose documentation is held, best match first. Private ones are only shown to those who may see them. */
export function createLibrariesHandler(catalog: LibraryCatalog): (call: Call) => Promise<Answer> {
  return async ({ query: parameters, caller, requestId }) => {
    const asked = (parameters.get('query') ?? '').slice(0, LIBRARY_NAME_CHARS_MAX);
    const found = await catalog.find(asked.trim() === '' ? null : asked, toViewer(caller));
    return {
      body: { requestId, libraries: found.slice(0, LISTED_MAX).map(toLibrary), total: found.length },
    };
  };
}

function toLibrary(found: FoundLibrary): JsonObject {
  const { ecosystem, name, versions, licence, homepage, repository, isPrivate, pages, match } = found;
  return {
    id: `/${ecosystem}/${name}`,
    library: formatLibrary(found),
    versions,
    pages,
    licence,
    homepage,
    repository,
    private: isPrivate,
    match,
  };
}

export const DocsSearchBody = z.object({
  question: query,
  ...libraryFields,
  tokens: createWholeNumberSchema(1)
    .transform((wanted) => Math.min(DOCS_TOKENS_MAX, Math.max(DOCS_TOKENS_MIN, wanted)))
    .default(DOCS_TOKENS_DEFAULT)
    .meta({ description: `Most tokens of all passages together, ${DOCS_TOKENS_MIN} to ${DOCS_TOKENS_MAX}.` }),
});

const KNOWN_FIELDS = buildKnownFields(Object.keys(DocsSearchBody.shape));

/** POST /v1/libraries/search. Errors: 422 validation_error, 503 recall_unavailable. */
export function createDocsSearchHandler(searchDocs: SearchDocs): PricedRoute['prepare'] {
  return ({ body, requestId, caller, tenant }) => {
    const { question, tokens, ...fields } = parseBody(DocsSearchBody, body);
    const ignored = findIgnoredFields(body, KNOWN_FIELDS);
    const wish = buildWish(fields) ?? { libraries: [], kinds: [], project: null };
    return {
      most: PRICES.search,
      async work(signal) {
        const viewer = toViewer(caller);
        const answer = await searchDocs({ ...wish, question, tokensMax: tokens, viewer, signal, tenant });
        const { passages, libraries, notes, search } = answer;
        return {
          used: computeSearchCredits({ ...search, results: passages }),
          cost: buildCostDollars,
          cache: search.cache,
          timingsMs: search.timingsMs,
          incomplete: search.incomplete,
          headers: buildIgnoredHeader(ignored),
          body: {
            requestId,
            passages: passages.map(toPassage),
            libraries: libraries.map(toChosenLibrary),
            notes,
            service: { cache: search.cache, ignored, ...buildIncompleteField(search.incomplete) },
          },
        };
      },
    };
  };
}

function toPassage({ markdown, headingPath, score, title, place }: DocsPassage): JsonObject {
  const { version, kind, licence, url } = place;
  return {
    title,
    headingPath,
    markdown,
    score: roundScore(score),
    library: formatLibrary(place),
    version,
    kind,
    licence,
    url,
  };
}
