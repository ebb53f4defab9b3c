import { URL_CHARS_MAX } from '../../../contract/limits.ts';
import type { MarkupWorker } from '../../../search/markup-worker.ts';
import { cutMarkdown } from '../../../text/prune/prune-markdown.ts';
import type { PageVersion } from '../../../versions/versions.ts';
import type { Answer, FreeRoute } from '../../calls/call.ts';
import type { OpenListedVersions } from '../../v1/versions.ts';
import { Html } from '../html.ts';
import { buildPage } from '../layout.ts';
import type { CodeContext } from '../play/play-page.ts';
import { buildOutcome, PLAY_SCRIPT, type PlayResult, type PlayRoutes, runPlay } from '../play/play-page.ts';
import { buildPlayCall, type PlayCall, parsePlayRequest } from '../play/plays.ts';
import type { Website } from '../shell/site.ts';
import {
  type DisplayedPage,
  type ReadingRequest,
  renderAddressForm,
  renderFailedReading,
  renderReading,
} from './read-view.ts';

export type ReadPageDeps = {
  serviceUrl(): string;
  site: Website;
  /** The prefix of tool names. */
  brand: string;
  markup: MarkupWorker;
  playRoutes: Pick<PlayRoutes, 'read'>;
  /** Each change of a page that is read is kept. */
  keepsVersions: boolean;
  versions: OpenListedVersions;
};

/** Maximum versions of a page that are offered. */
const VERSIONS_MAX = 100;
/** Maximum characters of a page that are shown; programs get the whole page. */
const SHOWN_CHARS_MAX = 200_000;

/** Handles GET /read?url=..&q=..&at=..: a page for people, now or as it was, or the passages for a question. Counts like GET /r/{url}. */
export function createReadPageHandler(deps: ReadPageDeps): FreeRoute['handle'] {
  return async ({ query, signal, tenant }, runAlso) => {
    const surroundings = { site: deps.site, serviceUrl: deps.serviceUrl(), brand: deps.brand };
    const asked: ReadingRequest = parsePlayRequest(new URLSearchParams({ do: 'read', ...readParams(query) }));
    if (asked.url === '')
      return buildReaderPage(surroundings, { title: 'Read a page', main: renderAddressForm(asked) });
    const call = buildPlayCall(asked, 0);
    const ran = await runPlay(call, { route: deps.playRoutes.read, runAlso });
    const versions = await listVersions(deps, asked.url, tenant);
    if (!ran.ok) return buildFailedPage(ran, { asked, call, versions, ...surroundings });
    const shown = toDisplayedPage(ran.answer, ran.remaining);
    const markup = await deps.markup(
      cutMarkdown(stripTitle(shown), SHOWN_CHARS_MAX),
      { base: shown.url, headings: 2, query: asked.query === '' ? null : asked.query },
      { signal, tenant },
    );
    const body = markup === null ? null : new Html(markup);
    const main = renderReading(
      { ...shown, isCut: shown.markdown.length > SHOWN_CHARS_MAX, body },
      { asked, call, versions, ...surroundings },
    );
    return buildReaderPage(surroundings, { title: shown.title || shown.url, main });
  };
}

/** Lists the versions of a page that have a text, the newest first; none where the server keeps none. */
async function listVersions(
  { keepsVersions, versions }: ReadPageDeps,
  url: string,
  owner: string | undefined,
): Promise<PageVersion[]> {
  if (!keepsVersions || !URL.canParse(url)) return [];
  const listed = await (await versions()).list(url, { owner, limit: VERSIONS_MAX });
  return listed.filter(({ status }) => status === 'present');
}

/** Strips the first heading if it repeats the title, as on most pages; the title is already shown above the page. */
function stripTitle({ markdown, title }: { markdown: string; title: string }): string {
  const [first = ''] = markdown.split('\n', 1);
  return first.replace(/^# +/, '').trim() === title.trim() ? markdown.slice(first.length) : markdown;
}

/** Reads only these parameters, because an address may bring its own. The URL is cut so that one that is too long stays invalid. */
function readParams(query: URLSearchParams): Record<string, string> {
  const url = query.get('url') ?? '';
  return { url: url.slice(0, URL_CHARS_MAX + 1), q: query.get('q') ?? '', at: query.get('at') ?? '' };
}

function buildFailedPage(
  ran: PlayResult & { ok: false },
  {
    asked,
    call,
    versions,
    ...surroundings
  }: { asked: ReadingRequest; call: PlayCall; versions: PageVersion[] } & CodeContext,
): Answer {
  const { status, headers } = buildOutcome(ran);
  const main = renderFailedReading(ran.failure, { asked, call, versions, ...surroundings });
  return buildReaderPage(surroundings, { title: 'Read a page', main, status: status ?? 200, headers });
}

function buildReaderPage(
  { site }: { site: Website },
  parts: { title: string; main: Html; status?: number; headers?: Record<string, string> },
): Answer {
  return buildPage({
    site,
    place: '/read',
    scripts: [PLAY_SCRIPT],
    ...parts,
    title: parts.title.slice(0, 120).toWellFormed(),
  });
}

/** The displayed fields of the JSON answer of GET /r/{url}. */
type ReaderBody = {
  data: {
    title: string;
    url: string;
    content: string;
    publishedTime?: string;
    metadata: { lang?: string; author?: string };
  };
};

function toDisplayedPage(
  { body, headers, incomplete = [] }: Answer,
  remaining: number | null,
): Omit<DisplayedPage, 'body' | 'isCut'> {
  // The body is that of the reader's route, which was asked for JSON.
  const { data } = body as ReaderBody;
  const { title, url, content, publishedTime = null, metadata } = data;
  return {
    title,
    url,
    markdown: content,
    publishedDay: publishedTime,
    author: metadata.author ?? null,
    language: metadata.lang ?? null,
    savingsPercent: Number(headers?.['X-Token-Savings'] ?? 0),
    rawTokens: Number(headers?.['X-Raw-Tokens'] ?? 0),
    outputTokens: Number(headers?.['X-Output-Tokens'] ?? 0),
    remaining,
    incomplete,
    json: JSON.stringify(body, null, 2),
  };
}
