import type { Answer } from '../calls/call.ts';
import { ICON, type Script, STYLE } from './assets.ts';
import { Html, html } from './html.ts';

type Page = {
  title: string;
  main: Html;
  status?: number;
  /** Its entry in the menu. */
  place?: '/pricing' | '/docs' | '/account';
  /** The one script that the page may run. */
  script?: Script;
  /** The site has no keys or prices, and no pages about them. */
  unmetered?: boolean;
  /** The page is the same for everyone and may be cached; pages about somebody's money may not. */
  shared?: true;
  headers?: Record<string, string>;
};

/** A whole page, with its security headers. */
export function page({ title, main, place, script, ...answer }: Page): Answer {
  const { text } = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
${answer.shared ? null : html`<meta name="robots" content="noindex">`}
<title>${title}</title>
<link rel="icon" href="${ICON.href}" type="image/svg+xml">
<link rel="stylesheet" href="${STYLE.href}">
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
<header class="top"><div class="wide">
<a class="brand" href="/"><img src="${ICON.href}" alt="" width="30" height="30">Sanderling</a>
<nav aria-label="Pages">${menu(place, answer.unmetered ?? false)}</nav>
</div></header>
<main id="main" class="wide">
${main}
</main>
<footer class="wide"><p>Sanderling: search and page contents for programs. No cookies, no tracking, nothing loaded from other sites. <a href="/privacy">Privacy</a></p></footer>
${script === undefined ? null : html`<script type="module">${new Html(script.text)}</script>`}
</body>
</html>
`;
  return {
    status: answer.status ?? 200,
    body: text,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'Cache-Control': answer.shared ? 'no-cache' : 'no-store',
      ...securityHeaders(script),
      ...answer.headers,
    },
  };
}

const MENU = [
  { href: '/pricing', name: 'Pricing', metered: true },
  { href: '/docs', name: 'API', metered: false },
  { href: '/account', name: 'Account', metered: true },
];

function menu(place: Page['place'], unmetered: boolean): Html[] {
  return MENU.filter(({ metered }) => !(metered && unmetered)).map(({ href, name }) =>
    href === place
      ? html`<a href="${href}" aria-current="page">${name}</a>`
      : html`<a href="${href}">${name}</a>`,
  );
}

/** Everything loads from this origin, forms post to it, and no page may frame this one. */
function securityHeaders(script: Script | undefined): Record<string, string> {
  const policy = [
    "default-src 'none'",
    "style-src 'self'",
    "img-src 'self'",
    ...(script === undefined ? [] : [`script-src '${script.hash}'`]),
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ];
  return {
    'Content-Security-Policy': policy.join('; '),
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=()',
    // With no referrer at all, the page's forms would come from the origin "null".
    'Referrer-Policy': 'same-origin',
    'X-Frame-Options': 'DENY',
  };
}
