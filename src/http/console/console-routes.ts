import type { FreeRoute, Route } from '../calls/call.ts';
import { LIMITS } from '../calls/route-limits.ts';
import { createLazyHandlers } from '../site/later-handlers.ts';
import type { ConsoleDeps } from './console-types.ts';

/** The pages of the console; those with `acts` have forms. */
const PAGES = [
  { path: '/admin', acts: false },
  { path: '/admin/sources', acts: true },
  { path: '/admin/index', acts: true },
  { path: '/admin/crawls', acts: true },
  { path: '/admin/monitors', acts: true },
  { path: '/admin/versions', acts: false },
  { path: '/admin/records', acts: false },
  { path: '/admin/settings', acts: false },
  { path: '/admin/log', acts: false },
];
const MODEL_PAGE = { path: '/admin/model', acts: false };
const PAGES_ABOUT_MONEY = [
  { path: '/admin/keys', acts: true },
  { path: '/admin/payments', acts: true },
];

/** Builds the routes of the operator's console at /admin, which the first request loads; none without its token. */
export function buildConsoleRoutes(deps: ConsoleDeps | null): Route[] {
  if (deps === null) return [];
  const pages = createLazyHandlers(async () => (await import('./console-pages.ts')).createConsolePages(deps));
  const paths = [
    ...PAGES,
    ...(deps.writer === null ? [] : [MODEL_PAGE]),
    ...(deps.money === null ? [] : PAGES_ABOUT_MONEY),
  ];
  const shown = paths.map(({ path }) => {
    const handle = pages(({ show }) => show(path));
    return buildGetRoute(path, handle);
  });
  const forms = paths.filter(({ acts }) => acts);
  const acting = forms.map(({ path }) => {
    const handle = pages(({ act }) => act(path));
    return buildPostRoute(path, handle);
  });
  const events = pages(({ runEvents }) => runEvents);
  const enter = pages(({ signIn }) => signIn.enter);
  const leave = pages(({ signIn }) => signIn.leave);
  return [
    ...[...shown, ...acting, buildGetRoute('/admin/crawls/events', events)],
    ...[buildPostRoute('/admin/sign-in', enter), buildPostRoute('/admin/sign-out', leave)],
  ];
}

function buildGetRoute(path: string, handle: FreeRoute['handle']): FreeRoute {
  // No HEAD: it would consume the notice that the next page shows once.
  return {
    method: 'GET',
    paths: [path],
    callers: 'anybody',
    noHead: true,
    limit: LIMITS.ledger,
    pages: 'always',
    handle,
  };
}

function buildPostRoute(path: string, handle: FreeRoute['handle']): FreeRoute {
  return { ...buildGetRoute(path, handle), method: 'POST', limit: LIMITS.forget };
}
