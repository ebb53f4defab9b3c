import type { Answer, Call } from '../../calls/call.ts';
import type { Html } from '../../site/html.ts';
import { page } from '../../site/layout.ts';
import { documentNames, textOf } from '../../site/project-documents.ts';
import { OPERATOR_PAGES, type Website } from '../../site/shell/site.ts';
import { DOCS_SCRIPT } from '../docs-script.ts';
import { documentHtml } from './document-html.ts';

/** A written page of the documentation: its address, and its Markdown for the terms of this server. */
export type GuideDocument = { href: string; title: string; text: string };

/** Where the recipes for other applications are. */
export const INTEGRATIONS = '/docs/integrations';
const GUIDES = '/docs/guides';

/** The guides in the order in which one needs them; others follow by name. */
const ORDER = [
  ...['quick-start', 'self-host', 'behind-a-proxy', 'searxng', 'sell-credits', 'moving', 'import-formats'],
  ...['tuning', 'errors', 'limits'],
];

const WRITTEN: readonly GuideDocument[] = [
  ...documentNames('guides/')
    .sort((one, other) => placeOf(one) - placeOf(other))
    .map((name) => documentOf(`${GUIDES}/${name}`, `guides/${name}.md`)),
  documentOf(INTEGRATIONS, 'integrations.md'),
  ...documentNames('integrations/').map((name) =>
    documentOf(`${INTEGRATIONS}/${name}`, `integrations/${name}.md`),
  ),
];

function placeOf(name: string): number {
  return ORDER.includes(name) ? ORDER.indexOf(name) : ORDER.length;
}

function documentOf(href: string, file: string): GuideDocument {
  const text = textOf(file);
  return { href, title: titleOf(text), text };
}

function titleOf(markdown: string): string {
  return (markdown.split('\n')[0] ?? '').replace(/^# /, '');
}

/** Marks what is about keys, credits or payments: at the end of a line that line, alone a section, and below the title a document. */
const METERED = '<!-- metered -->';
const METERED_LINE = /^.*\S <!-- metered -->\n?/gm;

/** The guides and recipes of a server; without what is about credits where nothing is metered. */
export function documentsFor({ isMetered }: { isMetered: boolean }): GuideDocument[] {
  return WRITTEN.flatMap((one) => {
    const text = partsFor(one.text, { isMetered });
    return text === null ? [] : [{ ...one, text }];
  });
}

/** A document without its marked sections where nothing is metered; null if all of it is marked. */
function partsFor(markdown: string, { isMetered }: { isMetered: boolean }): string | null {
  if (isMetered) return markdown.replaceAll(` ${METERED}`, '').replaceAll(`${METERED}\n`, '');
  const [head = '', ...sections] = markdown.replace(METERED_LINE, '').split(/^(?=## )/m);
  if (head.includes(METERED)) return null;
  return [head, ...sections.filter((section) => !section.includes(METERED))].join('');
}

/** What the documents call the address of the service. */
const BASE_URL = '{base_url}';

/** A guide or recipe as a page, with the address of this service in it. */
export function documentPage(
  { href, title, text }: GuideDocument,
  { site, serviceUrl, sidebar }: { site: Website; serviceUrl(): string; sidebar: Html },
): Answer {
  const folder = href.slice(0, href.lastIndexOf('/'));
  return page({
    site,
    title,
    place: '/docs',
    shared: true,
    scripts: [DOCS_SCRIPT],
    sidebar: { title: 'Documentation', links: sidebar },
    main: documentHtml(text.replaceAll(BASE_URL, serviceUrl()), { folder }),
  });
}

const PRIVACY = textOf('privacy.md');

/** The pages about the service itself: those that the operator wrote, and /privacy, which every server has. */
export function servicePages(site: Website): { path: string; handle(call: Call): Promise<Answer> }[] {
  return OPERATOR_PAGES.flatMap(({ name, title }) => {
    const text = site.operatorPages.get(name) ?? (name === 'privacy' ? ownPrivacy(site) : null);
    if (text === null) return [];
    return [{ path: `/${name}`, handle: async () => servicePage(site, { title, text }) }];
  });
}

function servicePage(site: Website, { title, text }: { title: string; text: string }): Answer {
  const [, heading = title] = /^# (.+)$/m.exec(text) ?? [];
  return page({ site, title: heading, shared: true, main: documentHtml(text, { folder: '' }) });
}

function ownPrivacy({ terms }: Website): string | null {
  return partsFor(PRIVACY, { isMetered: terms !== null });
}
