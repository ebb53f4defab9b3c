import { QUERY_CHARS_MAX } from '../../../contract/limits.ts';
import { LIBRARY_PAGE_KINDS } from '../../../libraries/library-types.ts';
import type { CatalogLibrary } from '../../../libraries/search/library-catalog.ts';
import { formatNumber } from '../amounts.ts';
import { type Html, html } from '../html.ts';
import { isWebAddress, renderSiteLetter, shortenAddress } from '../play/result-list.ts';
import { renderEmptyState } from '../shell/parts.ts';

/** What somebody asked on the page; empty fields were left open. `library` is `npm:fastify`. */
export type LibrariesRequest = { query: string; library: string; version: string; kind: string };

type DisplayedPassage = {
  title: string;
  headingPath: string[];
  markdown: string;
  library: string;
  version: string;
  kind: string;
  licence: string | null;
  url: string;
};

/** The displayed fields of the answer of POST /v1/libraries/search. */
export type DisplayedDocs = { passages: DisplayedPassage[]; notes: string[] };

const LISTED_MAX = 300;

/** Renders the form: the question, the library with its versions, and the kind of page. It works without scripts. */
export function renderLibraryForm(asked: LibrariesRequest, held: readonly CatalogLibrary[]): Html {
  return html`<form class="search" role="search" method="get" action="/libraries">
<label for="q">What do you want to know?</label>
<div class="bar"><input id="q" name="q" type="search" value="${asked.query}" placeholder="how do I add a hook to every request" maxlength="${QUERY_CHARS_MAX}" autocomplete="off" enterkeyhint="search"><button class="button" type="submit">Search</button></div>
<div class="filters">
<label><span>Library</span> <select name="library"><option value="">all that are held</option>${renderLibraryOptions(held, asked)}</select></label>
<label><span>Kind</span> <select name="kind"><option value="">any</option>${LIBRARY_PAGE_KINDS.map((kind) => renderOption(kind, kind, asked.kind))}</select></label>
${renderVersionSelect(held, asked)}
</div>
</form>`;
}

const renderOption = (value: string, name: string, chosen: string): Html =>
  html`<option value="${value}"${value === chosen && html` selected`}>${name}</option>`;

/** Renders the libraries of each ecosystem as a group of its own. */
function renderLibraryOptions(held: readonly CatalogLibrary[], { library }: LibrariesRequest): Html[] {
  const groups = Map.groupBy(held, ({ ecosystem }) => ecosystem);
  return [...groups].map(
    ([ecosystem, own]) =>
      html`<optgroup label="${ecosystem}">${own.map(({ name }) => renderOption(`${ecosystem}:${name}`, name, library))}</optgroup>`,
  );
}

function renderVersionSelect(
  held: readonly CatalogLibrary[],
  { library, version }: LibrariesRequest,
): Html | null {
  const chosen = held.find(({ ecosystem, name }) => `${ecosystem}:${name}` === library);
  if (chosen === undefined) return null;
  const [newest = ''] = chosen.versions;
  return html`<label><span>Version</span> <select name="version">${chosen.versions.map((one) => renderOption(one, one, version || newest))}</select></label>`;
}

/** Renders the libraries that are held, or how to add some. */
export function renderLibraryList(held: readonly CatalogLibrary[], asked: LibrariesRequest): Html {
  if (held.length === 0)
    return renderEmptyState({
      title: 'No library is held yet',
      text: html`In the folder of a project, <code>sanderling docs add .</code> adds the documentation of everything it depends on, at the versions of its lock file.`,
    });
  const shown = held
    .filter(({ ecosystem, name }) => asked.library === '' || asked.library === `${ecosystem}:${name}`)
    .slice(0, LISTED_MAX);
  return html`<h2>${held.length === 1 ? 'One library is held' : `${formatNumber(held.length)} libraries are held`}</h2>
<ul class="libraries">${shown.map(renderLibrary)}</ul>`;
}

function renderLibrary({ ecosystem, name, versions, pages, licence, isPrivate }: CatalogLibrary): Html {
  const link = (version: string): string =>
    `/libraries?${new URLSearchParams({ library: `${ecosystem}:${name}`, version })}`;
  const [newest = '', ...older] = versions;
  return html`<li><a href="${link(newest)}">${name}</a> <span class="quiet">${ecosystem}, ${pages === 1 ? 'one page' : `${formatNumber(pages)} pages`}${licence === null ? null : `, ${licence}`}</span> <span class="badge">${newest}</span>${older.map((version) => html` <a class="badge" href="${link(version)}">${version}<span class="hidden"> of ${name}</span></a>`)}${isPrivate && html` <span class="badge warn">private</span>`}</li>`;
}

type RenderedPassage = {
  passage: DisplayedPassage /** Null if rendering took too long. */;
  body: Html | null;
};

/** Renders passages for people, each with its version and where it is from. */
export function renderPassages(
  passages: readonly RenderedPassage[],
  { notes, asked }: { notes: readonly string[]; asked: LibrariesRequest },
): Html {
  const told = notes.map((note) => html`<p class="notice">${note}</p>`);
  if (passages.length === 0)
    return html`${told}${renderEmptyState({
      title: 'No passage matches',
      text: html`Try other words${asked.library !== '' && html`, or <a href="/libraries?${new URLSearchParams({ q: asked.query }).toString()}">search all libraries</a>`}.`,
    })}`;
  return html`${told}<h2>${passages.length === 1 ? 'One passage' : `${formatNumber(passages.length)} passages`}</h2>
<ol class="hits">${passages.map(renderPassage)}</ol>`;
}

function renderPassage({ passage, body }: RenderedPassage): Html {
  const { title, headingPath, markdown, library, version, kind, licence, url } = passage;
  const section = headingPath.at(-1);
  const name = section === undefined || section === title ? title : `${title}: ${section}`;
  return html`<li class="hit">
<p class="where">${renderSiteLetter(url)}<span>${library}</span><span class="badge on">${version}</span><span class="badge">${kind}</span>${licence === null ? null : html`<span>${licence}</span>`}</p>
<h3>${isWebAddress(url) ? html`<a href="${url}" rel="noreferrer nofollow">${name}</a>` : name}</h3>
<div class="passage prose">${body ?? html`<pre tabindex="0"><code>${markdown}</code></pre>`}</div>
<p class="hit-links"><span class="address">${shortenAddress(url)}</span></p>
</li>`;
}
