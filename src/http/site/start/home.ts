import type { Clock } from '../../../platform/clock.ts';
import type { SourceReading } from '../../../recall/upstream/upstream-types.ts';
import type { Answer, Call, FreeRoute } from '../../calls/call.ts';
import { wantsHtml } from '../../calls/wants-html.ts';
import { playPage } from '../play/play-page.ts';
import { askedOf, callOf, isAsked, linkTo } from '../play/plays.ts';
import { type PlayRoutes, runPlay } from '../play/run-play.ts';
import type { Website } from '../shell/site.ts';
import { startPage } from './start-page.ts';

export type HomeDeps = {
  serviceUrl(): string;
  site: Website;
  /** The prefix of tool names. */
  brand: string;
  clock: Clock;
  /** The current state of every recall source. */
  sourceReadings(): SourceReading[];
  playRoutes: PlayRoutes;
};

/** GET /: the list of routes for a program; for a person the start page or, with `?q=` or `?url=`, what was found. */
export function home(deps: HomeDeps): FreeRoute['handle'] {
  return async (call, runAlso) => {
    if (!wantsHtml(call.headers)) return { ...landing(call, deps.site), headers: { Vary: 'Accept' } };
    const asked = askedOf(call.query);
    const surroundings = { ...deps, serviceUrl: deps.serviceUrl(), sources: deps.sourceReadings() };
    if (!isAsked(asked)) return startPage(asked, surroundings);
    if (asked.play === 'read' || asked.play === 'ask') return seeOther(linkTo('/read', asked));
    const played = callOf(asked, deps.clock.now());
    const ran = await runPlay(played, { route: deps.playRoutes[asked.play], runAlso });
    return playPage({ asked, call: played, ran }, surroundings);
  };
}

function seeOther(location: string): Answer {
  return {
    status: 303,
    body: '',
    headers: { Location: location, Vary: 'Accept', 'Cache-Control': 'no-store' },
  };
}

/** The answer to programs: the name of the service and its routes. */
function landing({ requestId }: Call, { name, terms }: Website): Answer {
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
