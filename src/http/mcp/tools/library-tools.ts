import type { Answer, JsonObject } from '../../calls/call.ts';
import { type Arguments, READ_FIELDS, READ_ONLY, type RouteCall, type Tool } from '../tool.ts';
import { joinSections, readField, readRecords, readTextField, readTextList } from '../writing.ts';

const CLOSED = { ...READ_ONLY, openWorldHint: false };

/** The tool for GET /v1/libraries. */
export const findLibrary: Tool = {
  name: 'find_library',
  title: 'Find a library',
  description: 'Find libraries whose documentation is held here.',
  price: 'Free.',
  fields: { query: { kind: 'text', required: true, aliases: ['q', 'name', 'library', 'library_name'] } },
  annotations: CLOSED,
  call: ({ query }) => buildFindCall(query),
  write: writeLibraries,
};

/** The tool for POST /v1/libraries/search. */
export const searchDocs: Tool = {
  name: 'search_docs',
  title: 'Search documentation',
  description: 'Search the documentation of libraries at exact versions; keeps code whole.',
  price: '1 credit.',
  fields: {
    question: { kind: 'text', required: true, aliases: ['q', 'query', 'topic'] },
    library: {
      kind: 'list',
      separator: /[\s,]+/,
      about: 'like npm:fastify@5',
      aliases: ['libraries', 'library_id', 'library_name'],
    },
    project: { kind: 'text', about: 'its lock file sets versions' },
    max_tokens: READ_FIELDS.max_tokens,
    cursor: READ_FIELDS.cursor,
  },
  annotations: CLOSED,
  call: ({ question, library, project, max_tokens: tokens }) =>
    buildSearchCall({ question, library, project, tokens }),
  write: writePassages,
};

/*
 * The same under the names and arguments of a hosted service that many agents are set up for. They are offered only where the address asks
 * for them (`/mcp?tools=resolve-library-id,query-docs`): two names for one tool would cost every other agent tokens.
 */

export const resolveLibraryId: Tool = {
  ...findLibrary,
  name: 'resolve-library-id',
  isForeign: true,
  title: 'Resolve a library id',
  description: 'Find the id of a library for query-docs, with the versions whose documentation is held.',
  fields: {
    libraryName: { kind: 'text', required: true, aliases: ['library', 'name'] },
    query: { kind: 'text', aliases: ['question', 'user_query'] },
  },
  call: ({ libraryName }) => buildFindCall(libraryName),
};

export const queryDocs: Tool = {
  ...searchDocs,
  name: 'query-docs',
  isForeign: true,
  otherNames: ['get-library-docs'],
  title: 'Query documentation',
  description: 'Answer a question from the documentation of one library, by its id from resolve-library-id.',
  fields: {
    libraryId: {
      kind: 'text',
      required: true,
      about: 'such as /npm/fastify or /npm/fastify@5',
      aliases: ['context7_compatible_library_id', 'library_name', 'library'],
    },
    query: { kind: 'text', aliases: ['question', 'user_query', 'topic'] },
    max_tokens: { kind: 'count', aliases: ['tokens', 'token_budget'] },
  },
  call: ({ libraryId, query, max_tokens: tokens }) =>
    buildSearchCall({ question: query ?? libraryId, library: [libraryId], tokens }),
};

const buildFindCall = (query: unknown): RouteCall => ({
  method: 'GET',
  path: '/v1/libraries',
  target: `/v1/libraries?query=${encodeURIComponent(String(query ?? '').toWellFormed())}`,
});

/** Leaves room for the notes before the passages, so that no answer within its budget is cut. */
const NOTES_TOKENS = 120;

function buildSearchCall({ tokens, ...body }: JsonObject): RouteCall {
  const room = typeof tokens === 'number' ? { tokens: Math.max(1, Math.floor(tokens) - NOTES_TOKENS) } : {};
  return { method: 'POST', path: '/v1/libraries/search', body: { ...body, ...room } };
}

const LIBRARIES_SHOWN = 12;
const VERSIONS_SHOWN = 8;

function writeLibraries(answer: Answer['body'], args: Arguments): { text: string } {
  const found = readRecords(answer, 'libraries');
  if (found.length === 0)
    return {
      text: `No library like "${String(args.libraryName ?? args.query)}" is held. Search the web instead, or ask the user to add it: sanderling docs add`,
    };
  const lines = found.slice(0, LIBRARIES_SHOWN).map((library) => {
    const versions = readTextList(library, 'versions');
    const shown = versions.slice(0, VERSIONS_SHOWN).join(', ');
    const rest = versions.length - VERSIONS_SHOWN;
    const facts = [
      `versions ${shown}${rest > 0 ? ` and ${rest} more` : ''}`,
      `${readTextField(library, 'pages')} pages`,
      readTextField(library, 'licence'),
      readTextField(library, 'homepage') || readTextField(library, 'repository'),
      readTextField(library, 'match') === 'spelling' ? 'another spelling' : '',
    ];
    return `- ${readTextField(library, 'id')}: ${facts.filter((fact) => fact !== '').join('; ')}`;
  });
  const more = found.length - LIBRARIES_SHOWN;
  return { text: [...lines, ...(more > 0 ? [`${more} more; write more of the name`] : [])].join('\n') };
}

/** Writes passages as they are on their pages: their code is there to be copied. */
function writePassages(answer: Answer['body']): { text: string } {
  const passages = readRecords(answer, 'passages');
  const notes = readTextList(answer, 'notes').join('\n');
  const searched = readRecords(answer, 'libraries')
    .slice(0, LIBRARIES_SHOWN)
    .map((one) => `${readTextField(one, 'library')}@${readTextField(one, 'version')}`);
  if (passages.length === 0) {
    const where = searched.length === 0 ? 'no library is held' : `searched: ${searched.join(', ')}`;
    return { text: joinSections([notes, `Nothing found (${where}). Try other words or another library.`]) };
  }
  return { text: joinSections([notes, ...passages.map(formatPassage)]) };
}

function formatPassage(passage: JsonObject): string {
  const path = readTextList(passage, 'headingPath').slice(-2).join(' > ');
  const title = readTextField(passage, 'title');
  const version = `${readTextField(passage, 'library')}@${readTextField(passage, 'version')}`;
  const place = path === '' || path === title ? title : `${title} > ${path}`;
  const markdown = String(readField(passage, 'markdown')).trim();
  return `=== ${version} | ${readTextField(passage, 'kind')} | ${place}\n${readTextField(passage, 'url')}\n\n${markdown}`;
}
