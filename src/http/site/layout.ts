import type { Answer } from '../calls/call.ts';
import { loadScript, type Script } from './assets.ts';
import { Html, html } from './html.ts';
import { OPERATOR_PAGES, type Website } from './shell/site.ts';

type PageOptions = {
  site: Website;
  /** The title without the name of the site, which is appended. */
  title: string;
  main: Html;
  status?: number;
  /** The page's entry in the menu. */
  place?: '/read' | '/libraries' | '/pricing' | '/docs' | '/account';
  /** Navigation beside the page; on narrow screens it is folded above the page. */
  sidebar?: { title: string; links: Html };
  /** The sections of the page are bands as wide as the screen, each with its own `.wide` element. */
  bands?: true;
  /** Scripts of the page, in addition to those of every page. */
  scripts?: Script[];
  /** The scripts of the page may call this server. */
  connects?: true;
  /** The page is the same for everyone and may be cached; pages about somebody's money may not. */
  shared?: true;
  headers?: Record<string, string>;
};

const SITE_SCRIPT = loadScript(new URL('shell/site.js', import.meta.url));

/** Builds a whole page with its security headers. */
export function buildPage({ site, title, main, place, ...answer }: PageOptions): Answer {
  const scripts = [SITE_SCRIPT, ...(answer.scripts ?? [])];
  const { text } = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
${answer.shared ? null : html`<meta name="robots" content="noindex">`}
<title>${title} · ${site.name}</title>
<link rel="icon" href="${site.icon.href}">
<link rel="stylesheet" href="${site.style.href}">
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
<header class="top"><div class="wide">
<a class="brand" href="/"><img src="${site.icon.href}" alt="" width="28" height="28"><span>${site.name}</span></a>
<nav aria-label="Pages">${renderMenu(place, site)}</nav>
</div></header>
${renderMain(main, answer)}
${renderFooter(site)}
${scripts.map(({ text: code }) => html`<script type="module">${new Html(code)}</script>\n`)}</body>
</html>
`;
  return {
    status: answer.status ?? 200,
    body: text,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'Cache-Control': answer.shared ? 'no-cache' : 'no-store',
      ...buildSecurityHeaders(scripts, answer.connects ?? false),
      ...answer.headers,
    },
  };
}

function renderMain(main: Html, { sidebar, bands }: Pick<PageOptions, 'sidebar' | 'bands'>): Html {
  if (sidebar === undefined)
    return html`<main id="main"${bands ? null : html` class="wide"`}>
${main}
</main>`;
  return html`<div class="wide with-sidebar">
<details class="sidebar"><summary>${sidebar.title}</summary><nav aria-label="${sidebar.title}" tabindex="0">${sidebar.links}</nav></details>
<main id="main">
${main}
</main>
</div>`;
}

const MENU = [
  { href: '/read', name: 'Reader', metered: false },
  { href: '/libraries', name: 'Libraries', metered: false },
  { href: '/docs', name: 'Docs', metered: false },
  { href: '/pricing', name: 'Pricing', metered: true },
  { href: '/account', name: 'Account', metered: true },
];

function renderMenu(place: PageOptions['place'], { terms }: Website): Html[] {
  return MENU.filter(({ metered }) => terms !== null || !metered).map(({ href, name }) =>
    href === place
      ? html`<a href="${href}" aria-current="page">${name}</a>`
      : html`<a href="${href}">${name}</a>`,
  );
}

type LinkColumn = { title: string; links: { href: string; name: string }[] };

function renderFooter({ name, terms, operatorPages }: Website): Html {
  const columns: LinkColumn[] = [
    {
      title: 'Product',
      links: [
        { href: '/', name: 'Search' },
        { href: '/read', name: 'Reader' },
        { href: '/libraries', name: 'Libraries' },
        ...(terms === null
          ? []
          : [
              { href: '/pricing', name: 'Pricing' },
              { href: '/account', name: 'Account' },
            ]),
      ],
    },
    {
      title: 'Developers',
      links: [
        { href: '/docs', name: 'Documentation' },
        { href: '/docs/guides/quick-start', name: 'Quick start' },
        { href: '/docs/integrations', name: 'Integrations' },
        { href: '/openapi.json', name: 'OpenAPI' },
        { href: '/llms.txt', name: 'llms.txt' },
      ],
    },
    { title: 'Service', links: listServiceLinks(operatorPages) },
  ];
  return html`<footer class="bottom"><div class="wide">
<div><p class="brand">${name}</p>
<p class="quiet">Search and page contents for programs. No tracking, and nothing is loaded from other sites.</p></div>
${columns.map(({ title, links }) => html`<nav aria-label="${title}"><p class="title">${title}</p><ul>${links.map((link) => html`<li><a href="${link.href}">${link.name}</a></li>`)}</ul></nav>`)}
</div></footer>`;
}

/** Lists the pages about the service that exist; /privacy always does. */
function listServiceLinks(written: Website['operatorPages']): LinkColumn['links'] {
  return OPERATOR_PAGES.filter(({ name }) => name === 'privacy' || written.has(name)).map(
    ({ name, title }) => ({
      href: `/${name}`,
      name: title,
    }),
  );
}

/** Builds headers by which everything loads from this origin, forms post to it, only the page's scripts run, and nothing frames it. */
function buildSecurityHeaders(scripts: Script[], connects: boolean): Record<string, string> {
  const policy = [
    "default-src 'none'",
    "style-src 'self'",
    "img-src 'self'",
    `script-src ${scripts.map(({ hash }) => `'${hash}'`).join(' ')}`,
    ...(connects ? ["connect-src 'self'"] : []),
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ];
  return {
    'Content-Security-Policy': policy.join('; '),
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=()',
    // Without any referrer, the page's forms would have the origin "null".
    'Referrer-Policy': 'same-origin',
    'X-Frame-Options': 'DENY',
  };
}
