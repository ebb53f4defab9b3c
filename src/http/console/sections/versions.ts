import { Failure } from '../../../contract/errors.ts';
import { URL_CHARS_MAX } from '../../../contract/limits.ts';
import type { PageVersion } from '../../../versions/versions.ts';
import { addScheme } from '../../calls/json-body.ts';
import { formatNumber } from '../../site/amounts.ts';
import { type Html, html } from '../../site/html.ts';
import { buildPlayLink } from '../../site/play/plays.ts';
import type { ConsoleDeps } from '../console-types.ts';
import { renderChanges } from '../parts/changes.ts';
import {
  formatBytes,
  renderBadge,
  renderField,
  renderFigures,
  renderTable,
  renderTime,
} from '../parts/controls.ts';
import type { Section, SectionRequest } from '../section.ts';

const PATH = '/admin/versions';
const LISTED_MAX = 200;

/** GET /admin/versions: the kept versions of a page, and how two of them differ. Those of private pages are only their owners'. */
export const versionsSection: Section = {
  path: PATH,
  name: 'Versions',
  async show(deps, asked) {
    const url = asked.query.get('url')?.trim() ?? '';
    return {
      main: html`<p class="lead">What pages said at earlier visits.</p>
${await renderHoldings(deps)}
<form class="panel" method="get" action="${PATH}"><h2>A page</h2>${renderField({ name: 'url', label: 'Address', value: url, required: true, maxlength: URL_CHARS_MAX })}<button class="button second" type="submit">Show its versions</button></form>
${url !== '' && (await renderPage(deps, asked, url))}`,
    };
  },
  actions: {},
};

async function renderHoldings({ keepsVersions, versions }: ConsoleDeps): Promise<Html> {
  if (!keepsVersions)
    return html`<p class="notice">This server keeps versions of pages only where callers track their changes. Set <code>VERSIONS=on</code> to keep each change of every page that is read.</p>`;
  const { versions: count, bytes } = await (await versions()).count();
  return renderFigures([
    { name: 'Versions', value: formatNumber(count) },
    { name: 'Compressed texts', value: formatBytes(bytes) },
  ]);
}

async function renderPage(deps: ConsoleDeps, asked: SectionRequest, typed: string): Promise<Html> {
  const url = addScheme(typed);
  if (url.length > URL_CHARS_MAX || !URL.canParse(url))
    return html`<p class="problem" role="alert">This is no address.</p>`;
  const listed = await (await deps.versions()).list(url, { limit: LISTED_MAX });
  const find = (field: string): PageVersion | undefined =>
    listed.find(({ number }) => String(number) === asked.query.get(field));
  const to = find('to') ?? listed[0];
  const from = find('from') ?? listed[1];
  const isCompared = asked.query.has('from') && from !== undefined && to !== undefined;
  return html`${isCompared && (await renderDifference(deps, asked, [from, to]))}
<form method="get" action="${PATH}" aria-label="Two versions to compare"><input type="hidden" name="url" value="${url}">
<h2>Its versions</h2>
${renderTable({
  label: 'Versions',
  columns: [
    ...[{ title: 'First seen' }, { title: 'Earlier' }, { title: 'Later' }, { title: 'Title' }],
    ...([
      { title: 'Last seen' },
      { title: 'Visits', isNumber: true },
      { title: 'Characters', isNumber: true },
    ] as const),
  ],
  rows: listed.map((version) => [
    renderReadLink(url, version),
    renderChoice('from', version, from),
    renderChoice('to', version, to),
    version.status === 'gone' ? renderBadge('gone', 'warn') : version.title,
    renderTime(version.lastSeenAt),
    formatNumber(version.visits),
    formatNumber(version.chars),
  ]),
  empty: 'No version of this page is kept.',
})}
${listed.length > 1 && html`<button class="button" type="submit">Compare</button>`}</form>`;
}

function renderReadLink(url: string, { firstSeenAt, status }: PageVersion): Html | string {
  const time = renderTime(firstSeenAt);
  if (status === 'gone') return time;
  return html`<a href="${buildPlayLink('/read', { url, at: new Date(firstSeenAt).toISOString() })}">${time}</a>`;
}

function renderChoice(name: 'from' | 'to', { number }: PageVersion, chosen: PageVersion | undefined): Html {
  const label = `${name === 'from' ? 'Earlier' : 'Later'}: version ${number}`;
  return html`<input type="radio" name="${name}" value="${number}" aria-label="${label}"${number === chosen?.number && html` checked`}>`;
}

async function renderDifference(
  { compareVersions }: ConsoleDeps,
  { signal }: SectionRequest,
  [before, after]: [PageVersion, PageVersion],
): Promise<Html> {
  const title = html`<h2 id="difference">From ${renderTime(before.firstSeenAt)} to ${renderTime(after.firstSeenAt)}</h2>`;
  try {
    const { changes } = await compareVersions.byBlock({ before, after }, { signal });
    return html`<section aria-labelledby="difference">${title}${renderChanges(changes)}</section>`;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return html`<section aria-labelledby="difference">${title}<p class="problem" role="alert">${error.message}</p></section>`;
  }
}
