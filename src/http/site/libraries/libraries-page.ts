import { LIBRARY_NAME_CHARS_MAX, QUERY_CHARS_MAX } from '../../../contract/limits.ts';
import type { CatalogLibrary, LibraryCatalog } from '../../../libraries/search/library-catalog.ts';
import type { MarkupWorker } from '../../../search/markup-worker.ts';
import type { Answer, FreeRoute, JsonObject, PricedRoute } from '../../calls/call.ts';
import { toViewer } from '../../v1/library-fields.ts';
import { loadScript } from '../assets.ts';
import { Html, html } from '../html.ts';
import { buildPage } from '../layout.ts';
import { buildOutcome, PLAY_SCRIPT, type PlayResult, renderRefusal, runPlay } from '../play/play-page.ts';
import type { Website } from '../shell/site.ts';
import {
  type DisplayedDocs,
  type LibrariesRequest,
  renderLibraryForm,
  renderLibraryList,
  renderPassages,
} from './libraries-view.ts';

export type LibrariesPageDeps = {
  site: Website;
  libraries: LibraryCatalog;
  markup: MarkupWorker;
  /** POST /v1/libraries/search. */
  docsRoute: PricedRoute;
};

/** Searches while somebody types. Only where calls are not counted: each pause in typing is a call. */
const TYPING_SCRIPT = loadScript(new URL('libraries.js', import.meta.url));

/** Tokens of the passages on one page. */
const TOKENS = 3_000;

/**
 * Handles GET /libraries?q=..&library=..&version=..&kind=..: the libraries that are held, and the passages that answer a question. A
 * search counts like POST /v1/libraries/search. With `part` only the results come, for the script of the page.
 */
export function createLibrariesPageHandler(deps: LibrariesPageDeps): FreeRoute['handle'] {
  const { site, libraries } = deps;
  return async ({ query, caller, signal, tenant }, runAlso) => {
    const held = await libraries.find(null, toViewer(caller));
    const asked = parseLibrariesRequest(query, held);
    if (asked.query === '') {
      const list = renderLibraryList(held, asked);
      return query.has('part') ? buildPart(list) : buildLibrariesPage(site, { asked, held, results: list });
    }
    const call = { target: '/v1/libraries/search', body: toBody(asked) };
    const ran = await runPlay(call, { route: deps.docsRoute, runAlso });
    const results = ran.ok
      ? await renderAnswer(ran.answer, { asked, markup: deps.markup, turn: { signal, tenant } })
      : renderRefusal(ran.failure, site.terms);
    if (query.has('part')) return buildPart(results);
    return buildLibrariesPage(site, { asked, held, results, ran });
  };
}

/** Reads the fields of the form. A version that the library does not have is that of one chosen before. */
function parseLibrariesRequest(query: URLSearchParams, held: readonly CatalogLibrary[]): LibrariesRequest {
  const read = (name: string, most: number): string => (query.get(name) ?? '').trim().slice(0, most);
  const library = read('library', LIBRARY_NAME_CHARS_MAX);
  const version = read('version', LIBRARY_NAME_CHARS_MAX);
  const chosen = held.find(({ ecosystem, name }) => `${ecosystem}:${name}` === library);
  return {
    query: read('q', QUERY_CHARS_MAX),
    library,
    version: chosen?.versions.includes(version) === true ? version : '',
    kind: read('kind', LIBRARY_NAME_CHARS_MAX),
  };
}

function toBody({ query, library, version, kind }: LibrariesRequest): JsonObject {
  return {
    question: query,
    tokens: TOKENS,
    ...(library === '' ? {} : { library: version === '' ? library : `${library}@${version}` }),
    ...(kind === '' ? {} : { kind }),
  };
}

type Rendering = {
  asked: LibrariesRequest;
  markup: MarkupWorker;
  turn: Parameters<MarkupWorker>[2];
};

async function renderAnswer(answer: Answer, { asked, markup, turn }: Rendering): Promise<Html> {
  // The body is that of the route that was called.
  const { passages, notes } = answer.body as DisplayedDocs;
  const bodies = await Promise.all(
    passages.map(({ markdown, url }) =>
      markup(markdown, { base: url, headings: null, query: asked.query }, turn),
    ),
  );
  return renderPassages(
    passages.map((passage, place) => {
      const body = bodies[place] ?? null;
      return { passage, body: body === null ? null : new Html(body) };
    }),
    { notes, asked },
  );
}

type PageParts = {
  asked: LibrariesRequest;
  held: readonly CatalogLibrary[];
  results: Html;
  ran?: PlayResult;
};

function buildLibrariesPage(site: Website, { asked, held, results, ran }: PageParts): Answer {
  const outcome = ran === undefined ? {} : buildOutcome(ran);
  const searchesWhileTyping = site.terms === null;
  return buildPage({
    site,
    title: asked.query === '' ? 'Libraries' : asked.query.slice(0, 80).toWellFormed(),
    place: '/libraries',
    scripts: searchesWhileTyping ? [PLAY_SCRIPT, TYPING_SCRIPT] : [PLAY_SCRIPT],
    ...(searchesWhileTyping ? { connects: true } : {}),
    ...outcome,
    main: html`<h1>Documentation of your libraries</h1>
${renderLibraryForm(asked, held)}
<section id="passages" class="results" aria-label="Results" aria-live="polite">${results}</section>`,
  });
}

const buildPart = ({ text }: Html): Answer => ({
  body: text,
  headers: { 'content-type': 'text/html; charset=utf-8', 'Cache-Control': 'no-store' },
});
