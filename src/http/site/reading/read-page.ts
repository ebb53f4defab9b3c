import { URL_CHARS_MAX } from '../../../contract/limits.ts';
import type { MarkupWorker } from '../../../search/markup-worker.ts';
import { cutMarkdown } from '../../../text/prune/prune-markdown.ts';
import type { Answer, FreeRoute } from '../../calls/call.ts';
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
};

/** Maximum characters of a page that are shown; programs get the whole page. */
const SHOWN_CHARS_MAX = 200_000;

/** Handles GET /read?url=..&q=..: a page for people or, with a question, its relevant passages. Counts like GET /r/{url}. */
export function createReadPageHandler(deps: ReadPageDeps): FreeRoute['handle'] {
  return async ({ query, signal, tenant }, runAlso) => {
    const surroundings = { site: deps.site, serviceUrl: deps.serviceUrl(), brand: deps.brand };
    const asked: ReadingRequest = parsePlayRequest(new URLSearchParams({ do: 'read', ...readParams(query) }));
    if (asked.url === '')
      return buildReaderPage(surroundings, { title: 'Read a page', main: renderAddressForm(asked) });
    const call = buildPlayCall(asked, 0);
    const ran = await runPlay(call, { route: deps.playRoutes.read, runAlso });
    if (!ran.ok) return buildFailedPage(ran, { asked, call, ...surroundings });
    const shown = toDisplayedPage(ran.answer, ran.remaining);
    const markup = await deps.markup(
      cutMarkdown(stripTitle(shown), SHOWN_CHARS_MAX),
      { base: shown.url, headings: 2, query: asked.query === '' ? null : asked.query },
      { signal, tenant },
    );
    const body = markup === null ? null : new Html(markup);
    const main = renderReading(
      { ...shown, isCut: shown.markdown.length > SHOWN_CHARS_MAX, body },
      { asked, call, ...surroundings },
    );
    return buildReaderPage(surroundings, { title: shown.title || shown.url, main });
  };
}

/** Strips the first heading if it repeats the title, as on most pages; the title is already shown above the page. */
function stripTitle({ markdown, title }: { markdown: string; title: string }): string {
  const [first = ''] = markdown.split('\n', 1);
  return first.replace(/^# +/, '').trim() === title.trim() ? markdown.slice(first.length) : markdown;
}

/** Reads only these parameters, because an address may bring its own. The URL is cut so that one that is too long stays invalid. */
function readParams(query: URLSearchParams): Record<string, string> {
  const url = query.get('url') ?? '';
  return { url: url.slice(0, URL_CHARS_MAX + 1), q: query.get('q') ?? '' };
}

function buildFailedPage(
  ran: PlayResult & { ok: false },
  { asked, call, ...surroundings }: { asked: ReadingRequest; call: PlayCall } & CodeContext,
): Answer {
  const { status, headers } = buildOutcome(ran);
  const main = renderFailedReading(ran.failure, { asked, call, ...surroundings });
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
