import type { Answer, FreeRoute } from '../../calls/call.ts';
import { createConstantHandler } from '../../calls/constant-answer.ts';
import type { Html } from '../../site/html.ts';
import { buildPage } from '../../site/layout.ts';
import { listDocumentNames, readProjectDocument } from '../../site/project-documents.ts';
import { OPERATOR_PAGES, type Website } from '../../site/shell/site.ts';
import { DOCS_SCRIPT } from '../overview-page.ts';
import { renderDocument } from './document-html.ts';

/** A page of the documentation that was written by hand: its address, and its Markdown for the terms of this server. */
export type GuideDocument = { href: string; title: string; text: string };

/** The address of the recipes for other applications. */
export const INTEGRATIONS = '/docs/integrations';
const GUIDES = '/docs/guides';

/** The guides in the order in which readers need them; others follow by name. */
const ORDER = [
  ...[
    'quick-start',
    'coding-agent',
    'libraries',
    'pages-that-change',
    'repeatable-research',
    'self-host',
    'behind-a-proxy',
    'searxng',
    'sell-credits',
    'moving',
    'import-formats',
  ],
  ...['tuning', 'errors', 'limits'],
];

const WRITTEN: readonly GuideDocument[] = [
  ...listDocumentNames('guides/')
    .sort((one, other) => rankGuide(one) - rankGuide(other))
    .map((name) => loadDocument(`${GUIDES}/${name}`, `guides/${name}.md`)),
  loadDocument(INTEGRATIONS, 'integrations.md'),
  ...listDocumentNames('integrations/').map((name) =>
    loadDocument(`${INTEGRATIONS}/${name}`, `integrations/${name}.md`),
  ),
];

function rankGuide(name: string): number {
  return ORDER.includes(name) ? ORDER.indexOf(name) : ORDER.length;
}

function loadDocument(href: string, file: string): GuideDocument {
  const text = readProjectDocument(file);
  return { href, title: extractTitle(text), text };
}

function extractTitle(markdown: string): string {
  return (markdown.split('\n')[0] ?? '').replace(/^# /, '');
}

/** Marks text about keys, credits or payments: a line if at its end, a section if alone, a document if below the title. */
const METERED = '<!-- metered -->';
const METERED_LINE = /^.*\S <!-- metered -->\n?/gm;

/** Lists the guides and recipes of a server. Where nothing is metered, text about credits is left out. */
export function listDocuments({ isMetered }: { isMetered: boolean }): GuideDocument[] {
  return WRITTEN.flatMap((one) => {
    const text = stripMetered(one.text, { isMetered });
    return text === null ? [] : [{ ...one, text }];
  });
}

/** Strips the marked sections of a document where nothing is metered; null if all of it is marked. */
function stripMetered(markdown: string, { isMetered }: { isMetered: boolean }): string | null {
  if (isMetered) return markdown.replaceAll(` ${METERED}`, '').replaceAll(`${METERED}\n`, '');
  const [head = '', ...sections] = markdown.replace(METERED_LINE, '').split(/^(?=## )/m);
  if (head.includes(METERED)) return null;
  return [head, ...sections.filter((section) => !section.includes(METERED))].join('');
}

/** The placeholder of the documents for the address of the service. */
const BASE_URL = '{base_url}';

/** Builds the page of a guide or recipe, with the address of this service filled in. */
export function buildDocumentPage(
  { href, title, text }: GuideDocument,
  { site, serviceUrl, sidebar }: { site: Website; serviceUrl(): string; sidebar: Html },
): Answer {
  const folder = href.slice(0, href.lastIndexOf('/'));
  return buildPage({
    site,
    title,
    place: '/docs',
    shared: true,
    scripts: [DOCS_SCRIPT],
    sidebar: { title: 'Documentation', links: sidebar },
    main: renderDocument(text.replaceAll(BASE_URL, serviceUrl()), { folder }),
  });
}

const PRIVACY = readProjectDocument('privacy.md');

/** Lists the pages about the service itself: those that the operator wrote, and /privacy, which every server has. */
export function listServicePages(site: Website): { path: string; handle: FreeRoute['handle'] }[] {
  return OPERATOR_PAGES.flatMap(({ name, title }) => {
    const text = site.operatorPages.get(name) ?? (name === 'privacy' ? buildOwnPrivacy(site) : null);
    if (text === null) return [];
    return [
      { path: `/${name}`, handle: createConstantHandler(() => buildServicePage(site, { title, text })) },
    ];
  });
}

function buildServicePage(site: Website, { title, text }: { title: string; text: string }): Answer {
  const [, heading = title] = /^# (.+)$/m.exec(text) ?? [];
  return buildPage({ site, title: heading, shared: true, main: renderDocument(text, { folder: '' }) });
}

function buildOwnPrivacy({ terms }: Website): string | null {
  return stripMetered(PRIVACY, { isMetered: terms !== null });
}
