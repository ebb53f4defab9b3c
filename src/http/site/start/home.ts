import type { Clock } from '../../../platform/clock.ts';
import type { SourceReading } from '../../../recall/upstream/upstream-types.ts';
import type { Answer, Call, FreeRoute } from '../../calls/call.ts';
import { wantsHtml } from '../../calls/error-format.ts';
import { buildPlayPage, type PlayRoutes, runPlay } from '../play/play-page.ts';
import { buildPlayCall, buildPlayLink, hasInput, parsePlayRequest } from '../play/plays.ts';
import type { Website } from '../shell/site.ts';
import { buildStartPage } from './start-page.ts';

export type HomeDeps = {
  serviceUrl(): string;
  site: Website;
  /** The prefix of tool names. */
  brand: string;
  clock: Clock;
  /** The current state of every recall source. */
  sourceReadings(): SourceReading[];
  playRoutes: PlayRoutes;
  /** What writes answers; null: every word is quoted. */
  writer: object | null;
};

/** Handles GET /: the list of routes for a program; for a person the start page or, with `?q=` or `?url=`, the results. */
export function createHomeHandler(deps: HomeDeps): FreeRoute['handle'] {
  return async (call, runAlso) => {
    if (!wantsHtml(call.headers)) return { ...buildRouteList(call, deps.site), headers: { Vary: 'Accept' } };
    const asked = parsePlayRequest(call.query);
    const surroundings = {
      ...deps,
      serviceUrl: deps.serviceUrl(),
      sources: deps.sourceReadings(),
      hasModel: deps.writer !== null,
    };
    if (!hasInput(asked)) return buildStartPage(asked, surroundings);
    if (asked.play === 'read' || asked.play === 'ask') return redirectTo(buildPlayLink('/read', asked));
    const played = buildPlayCall(asked, deps.clock.now());
    const ran = await runPlay(played, { route: deps.playRoutes[asked.play], runAlso });
    return buildPlayPage({ asked, call: played, ran }, surroundings);
  };
}

function redirectTo(location: string): Answer {
  return {
    status: 303,
    body: '',
    headers: { Location: location, Vary: 'Accept', 'Cache-Control': 'no-store' },
  };
}

/** Builds the answer for programs: the name of the service and its routes. */
function buildRouteList({ requestId }: Call, { name, terms }: Website): Answer {
  return {
    body: {
      name,
      what: 'Web retrieval and search for programs and agents.',
      routes: {
        'POST /v1/search': '{"query": "..."}: pages for a query; "contents" adds their text',
        'POST /v1/contents': '{"urls": ["https://..."]}: pages as Markdown',
        'POST /v1/findSimilar': '{"url": "https://..."}: pages on the same subject, on other sites',
        'POST /v1/research': '{"question": "..."}: an evidence pack of quotations from many pages',
        'GET /r/{url}': 'a page as Markdown; ?q= keeps only what is relevant to a question',
        'POST /v1/verify': '{"url": "https://...", "quote": "..."}: whether a page contains a quotation',
        'POST /v1/rerank': '{"query": "...", "documents": ["..."]}: documents ordered by relevance',
        'POST /shapeB/search': 'a search in the second shape; its clients use {base URL}/shapeB',
        'POST /shapeB/extract': '{"urls": ["https://..."]}: pages in the second shape',
        ...(terms?.freeKeys && { 'POST /v1/keys/free': 'a free key with 2,500 credits, one per network' }),
        ...(terms && { 'GET /v1/balance': 'the credits of the key in the header' }),
        'GET /healthz': 'whether the process is alive',
        'GET /readyz': 'whether the service accepts requests',
      },
      requestId,
    },
  };
}
