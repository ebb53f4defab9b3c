import { StoreUnavailable } from '../../../contract/errors.ts';
import type { HeldPage, PageSelector } from '../../../index/local-index-types.ts';
import { parseSelector } from '../../../index/upkeep/page-selector.ts';
import { makeDue } from '../../../index/upkeep/revisit.ts';
import { NO_FILTERS } from '../../../text/query/filters.ts';
import { readQuery } from '../../../text/query/read-query.ts';
import { formatNumber } from '../../site/amounts.ts';
import { type Html, html } from '../../site/html.ts';
import type { ConsoleDeps } from '../console-types.ts';
import {
  formatBytes,
  formatCount,
  readRequiredText,
  renderActionButton,
  renderConfirmedButton,
  renderField,
  renderFigures,
  renderTable,
  renderTime,
} from '../parts/controls.ts';
import type { Section, SectionRequest } from '../section.ts';
import { buildForgetEntry, extractSelectorHost } from '../state/forgetting.ts';

const PATH = '/admin/index';
const LISTED = 50;
const RECENT = 20;

/** GET /admin/index: the contents of the local index, with actions to forget pages and to read them again. */
export const indexSection: Section = {
  path: PATH,
  name: 'Local index',
  async show(deps, asked) {
    const which = asked.query.get('which')?.trim() || null;
    const query = asked.query.get('q')?.trim() || null;
    const list =
      which !== null
        ? renderSelected(deps, which, asked)
        : query !== null
          ? renderFound(deps, query)
          : renderRecent(deps);
    const listed = await list.catch((error: unknown) => {
      // The notice above says that the index does not answer.
      if (error instanceof StoreUnavailable) return null;
      throw error;
    });
    return {
      main: html`${await renderHoldings(deps)}
<section aria-labelledby="find"><h2 id="find">Find pages</h2>
<div class="two"><form class="panel" method="get" action="${PATH}">${renderField({ name: 'q', label: 'Search in the index', value: query })}<button class="button second" type="submit">Search</button></form>
<form class="panel" method="get" action="${PATH}">${renderField({ name: 'which', label: 'Page, host or prefix', value: which, hint: 'https://example.org/page, example.org (with its subdomains) or https://example.org/docs/*' })}<button class="button second" type="submit">Show</button></form></div>
${listed}
</section>`,
    };
  },
  actions: { forget, again: refreshSelected },
};

async function renderHoldings({ index }: ConsoleDeps): Promise<Html> {
  const { engine, at } = index.place();
  const stats = await index.stats().catch(() => null);
  if (stats === null)
    return html`<p class="notice" role="status">The index at ${at} does not answer. Searches ask the other sources until it does.</p>`;
  const { pages, hosts, bytes, textBytes, ages, largestHosts } = stats;
  const old = ages.filter(({ daysMax }) => daysMax === null || daysMax > 30);
  return html`<section aria-labelledby="holds"><h2 id="holds">What it holds</h2>
${renderFigures([
  { name: 'Pages', value: formatNumber(pages), note: formatCount(hosts, 'host') },
  {
    name: engine === 'opensearch' ? 'In OpenSearch' : 'On disk',
    value: formatBytes(bytes),
    note: `${formatBytes(textBytes)} of texts and their words${engine === 'opensearch' ? `; ${at}` : ''}`,
  },
  {
    name: 'Older than 30 days',
    value: formatNumber(old.reduce((sum, age) => sum + age.pages, 0)),
    note: 'since they were fetched',
  },
])}
<div class="two">
<div><h3>Largest hosts</h3>${renderTable({
    label: 'Largest hosts',
    columns: [{ title: 'Host' }, { title: 'Pages', isNumber: true }],
    rows: largestHosts.map((held) => [
      held.host === ''
        ? 'local files'
        : html`<a href="${PATH}?which=${encodeURIComponent(held.host)}">${held.host}</a>`,
      formatNumber(held.pages),
    ]),
    empty: 'The index holds no pages yet. Start a crawl to fill it.',
  })}</div>
<div><h3>Age</h3>${renderTable({
    label: 'Pages by age',
    columns: [{ title: 'Fetched within' }, { title: 'Pages', isNumber: true }],
    rows: ages.map(({ daysMax, pages: aged }) => [
      daysMax === null ? 'longer ago' : daysMax === 1 ? 'a day' : `${daysMax} days`,
      formatNumber(aged),
    ]),
    empty: '',
  })}</div></div></section>`;
}

async function renderRecent({ index }: ConsoleDeps): Promise<Html> {
  return html`<h3>Fetched last</h3>${renderPages(await index.recent(RECENT), 'Pages that were fetched last')}`;
}

async function renderFound({ index }: ConsoleDeps, query: string): Promise<Html> {
  const pages = await index.search({ ...NO_FILTERS, query: readQuery(query), limit: LISTED });
  return html`<h3>Found for “${query}”</h3>${renderTable({
    label: 'Found pages',
    columns: [{ title: 'Page' }, { title: 'Score', isNumber: true }],
    rows: pages.map(({ url, title, score }) => [renderPageCell(url, title), score.toFixed(2)]),
    empty: 'The index holds no page with these words.',
  })}`;
}

/** Renders the selected pages with their actions. */
async function renderSelected(
  { index }: ConsoleDeps,
  which: string,
  { csrf }: SectionRequest,
): Promise<Html> {
  let selector: PageSelector;
  try {
    selector = parseSelector(which);
  } catch (error) {
    return html`<p class="problem" role="alert">${error instanceof Error ? error.message : 'This names no pages.'}</p>`;
  }
  const pages = await index.list({ selector, after: null, limit: LISTED + 1 });
  const more = pages.length > LISTED;
  const button = { path: PATH, csrf, fields: { which } };
  return html`<h3>Selected: ${which}</h3>
<p>${more ? `More than ${LISTED} pages; the first ${LISTED} are listed` : formatCount(pages.length, 'page')}.</p>
<div class="actions">${pages.length > 0 && renderActionButton({ ...button, act: 'again', label: 'Read again', about: which })}
${renderConfirmedButton({ ...button, act: 'forget', label: 'Forget', about: which, question: 'This deletes the selected pages from the index and every copy of them, on all processes. They can be read again later.' })}</div>
${renderPages(pages.slice(0, LISTED), 'Selected pages')}`;
}

function renderPages(pages: HeldPage[], label: string): Html {
  return renderTable({
    label,
    columns: [{ title: 'Page' }, { title: 'Fetched (UTC)' }, { title: 'Size', isNumber: true }],
    rows: pages.map(({ url, title, fetchedAt, bytes }) => [
      renderPageCell(url, title),
      renderTime(fetchedAt),
      formatBytes(bytes),
    ]),
    empty: 'The index holds no such page.',
  });
}

/** Renders a page. Its address is no link to the page itself: it may be of any scheme, and its origin would learn of the console. */
function renderPageCell(url: string, title: string): Html {
  return html`${title === '' ? 'Without a title' : title}<br><a class="quiet address" href="${PATH}?which=${encodeURIComponent(url)}">${url}</a>`;
}

async function forget(deps: ConsoleDeps, form: URLSearchParams) {
  const selector = parseSelector(readRequiredText(form, 'which', 8_192));
  const forgotten = await deps.forget(selector);
  await deps.actions.record(buildForgetEntry(selector, forgotten));
  const { pages, copies, addresses } = forgotten;
  return {
    text: `Forgot ${formatCount(pages, 'page')}, ${formatCount(copies, 'cached copy', 'cached copies')} and ${formatCount(addresses, 'address', 'addresses')} of crawls.`,
  };
}

/** Marks the selected pages as due and starts a run that reads the due pages. */
async function refreshSelected(deps: ConsoleDeps, form: URLSearchParams) {
  const selector = parseSelector(readRequiredText(form, 'which', 8_192));
  const pages = await makeDue(deps.index, selector);
  if (pages === 0) return { text: 'The index holds no such page.' };
  const run = await deps.runs.start({ kind: 'refresh', pagesMax: pages });
  await deps.actions.record({
    action: 'pages are read again',
    host: extractSelectorHost(selector),
    outcome: `${pages} pages, ${run.id}`,
  });
  return { text: `${formatCount(pages, 'page')} to be read again.`, to: '/admin/crawls' };
}
