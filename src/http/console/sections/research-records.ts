import type { Replay } from '../../../versions/replay-record.ts';
import { formatNumber } from '../../site/amounts.ts';
import { type Html, html } from '../../site/html.ts';
import type { ConsoleDeps } from '../console-types.ts';
import { formatBytes, renderBadge, renderFigures, renderTable, renderTime } from '../parts/controls.ts';
import type { Section, SectionRequest } from '../section.ts';

const PATH = '/admin/records';
const LISTED_MAX = 200;
const MOODS = { same: 'good', changed: 'warn', gone: 'alarm', unknown: 'plain' } as const;

/** GET /admin/records: the recorded research of all callers, and one record with what has changed since. */
export const researchRecordsSection: Section = {
  path: PATH,
  name: 'Records',
  actions: {},
  async show(deps, asked) {
    const [owner, id] = [asked.query.get('owner'), asked.query.get('id')];
    if (owner !== null && id !== null) return { main: await renderRecord(deps, asked, { owner, id }) };
    const listed = await (await deps.records()).list(null, LISTED_MAX);
    return {
      main: html`<p class="lead">Research that callers keep with <code>record: true</code>, each for its caller alone: the last ${LISTED_MAX}. It shares <code>VERSIONS_BYTES_MAX</code> with the versions of pages.</p>
${renderTable({
  label: 'Records',
  columns: [
    ...[{ title: 'Made (UTC)' }, { title: 'Call' }, { title: 'About' }, { title: 'Of' }],
    ...([
      { title: 'Pages', isNumber: true },
      { title: 'Size', isNumber: true },
    ] as const),
  ],
  rows: listed.map((record) => [
    html`<a href="${`${PATH}?${new URLSearchParams({ owner: record.owner, id: record.id })}`}">${renderTime(record.madeAt)}</a>`,
    record.operation,
    html`<span class="address">${record.title}</span>`,
    record.owner,
    formatNumber(record.pages),
    formatBytes(record.bytes),
  ]),
  empty: 'Nothing is recorded.',
})}`,
    };
  },
};

async function renderRecord(
  { replayRecord }: ConsoleDeps,
  { signal }: SectionRequest,
  name: { owner: string; id: string },
): Promise<Html> {
  const replay = await replayRecord(name, { signal });
  if (replay === null) return html`<p class="problem" role="alert">There is no such record.</p>`;
  const { record, pages, citations } = replay;
  const verified = citations.filter(({ isVerified }) => isVerified).length;
  return html`<p class="lead">${record.operation}: <span class="address">${record.title}</span></p>
<p><a href="${PATH}">All records</a></p>
${renderFigures([
  { name: 'Made (UTC)', value: renderTime(record.madeAt) },
  { name: 'Citations verified', value: `${formatNumber(verified)} of ${formatNumber(citations.length)}` },
  { name: 'Pages forgotten since', value: formatNumber(record.forgotten) },
])}
<h2>Pages</h2>
${renderPages(pages)}
<h2>Citations</h2>
${renderCitations(citations)}`;
}

const renderPages = (pages: Replay['pages']): Html =>
  renderTable({
    label: 'Pages of the record',
    columns: [
      ...[{ title: 'Page' }, { title: 'Read (UTC)' }, { title: 'Since' }, { title: 'Its text' }],
      { title: 'Characters', isNumber: true },
    ],
    rows: pages.map(({ url, readAt, since, text, chars }) => [
      html`<span class="address">${url}</span>`,
      renderTime(readAt),
      renderBadge(since.state, MOODS[since.state]),
      text === null ? renderBadge('no longer kept', 'warn') : 'kept',
      formatNumber(chars),
    ]),
    empty: 'No page was read.',
  });

const renderCitations = (citations: Replay['citations']): Html =>
  renderTable({
    label: 'Citations of the record',
    columns: [
      { title: 'Words' },
      { title: 'Page' },
      { title: 'In the record' },
      { title: 'On the page now' },
    ],
    rows: citations.map(({ quote, url, isVerified, standsNow }) => [
      quote ?? '',
      html`<span class="address">${url}</span>`,
      isVerified ? renderBadge('verified', 'good') : renderBadge('not verified', 'alarm'),
      standsNow === null ? 'unknown' : standsNow ? 'yes' : renderBadge('no', 'warn'),
    ]),
    empty: 'The answer cites no place.',
  });
