import type { OperatorRun, RunOrder, RunState } from '../../../crawl/runs/run-types.ts';
import { formatNumber } from '../../site/amounts.ts';
import { loadScript } from '../../site/assets.ts';
import { type Html, html } from '../../site/html.ts';
import type { ConsoleDeps } from '../console-types.ts';
import {
  createFieldFailure,
  formatDuration,
  readFormNumber,
  readFormText,
  readRequiredText,
  renderActionButton,
  renderBadge,
  renderCheckbox,
  renderField,
  renderHiddenFields,
  renderTable,
  renderTime,
} from '../parts/controls.ts';
import type { Section, SectionRequest } from '../section.ts';

const PATH = '/admin/crawls';
const SCRIPT = loadScript(new URL('crawls.js', import.meta.url));
const PAGES_MAX = 1_000_000;
const PAGES = 1_000;
const STARTS_MAX = 20;
const DEPTH_MAX = 1_000;
const DELAY_MS_MAX = 600_000;
/** Interval at which browsers without scripts see progress. */
const REFRESH_SECONDS = 5;

/** GET /admin/crawls: the crawls and imports that this server runs, and counts of callers' jobs. */
export const crawlsSection: Section = {
  path: PATH,
  name: 'Crawls and imports',
  async show(deps, asked) {
    const runs = await deps.runs.list();
    const isActive = runs.some(({ state }) => state === 'running' || state === 'waiting');
    return {
      scripts: [SCRIPT],
      ...(isActive && asked.typed.size === 0 ? { refreshSeconds: REFRESH_SECONDS } : {}),
      main: html`<p class="lead">One is at work at a time; the others wait for it. They go on after a restart.</p>
${renderRuns(runs, asked.csrf)}
<div class="two">${renderCrawlForm(asked)}<div>${await renderImportForm(deps, asked)}${renderRefreshForm(asked)}</div></div>
${await renderCallerJobs(deps)}`,
    };
  },
  actions: {
    crawl: (deps, form) => startRun(deps, readCrawlOrder(form), 'crawl started'),
    import: (deps, form) => startRun(deps, readImportOrder(form), 'import started'),
    refresh: (deps, form) =>
      startRun(
        deps,
        { kind: 'refresh', pagesMax: readFormNumber(form, 'pages', { min: 1, max: PAGES_MAX }) ?? PAGES },
        'refresh started',
      ),
    pause: (deps, form) => changeRun(deps, form, { verb: 'pause', done: 'paused' }),
    resume: (deps, form) => changeRun(deps, form, { verb: 'resume', done: 'resumed' }),
    stop: (deps, form) => changeRun(deps, form, { verb: 'stop', done: 'stopped' }),
  },
};

function renderRuns(runs: OperatorRun[], csrf: string): Html {
  const numbers = ['Pages', 'Failed', 'Skipped', 'Same', 'Queued'];
  return renderTable({
    label: 'Crawls and imports',
    columns: [
      ...[{ title: 'What' }, { title: 'State' }],
      ...numbers.map((title) => ({ title, isNumber: true }) as const),
      { title: 'Do' },
    ],
    rows: runs.map((run) => [
      html`<span class="address">${describeOrder(run.order)}</span><br><span class="quiet note-of-run">${renderTimes(run)}${run.note !== null && html`. ${run.note}`}</span>`,
      renderState(run),
      ...renderCounts(run),
      renderButtons(run, csrf),
    ]),
    empty: 'Nothing has been crawled or imported by this server yet.',
  });
}

function renderTimes({ startedAt, endedAt, createdAt }: OperatorRun): Html {
  if (startedAt === null) return html`Waits since ${renderTime(createdAt)} UTC`;
  const end = endedAt === null ? null : html`, ended after ${formatDuration(endedAt - startedAt)}`;
  return html`Started ${renderTime(startedAt)} UTC${end}`;
}

/** Renders the counts of a run. The script finds these cells by their names. */
function renderCounts({ id, counts }: OperatorRun): Html[] {
  const { pages, failed, skipped, duplicates, queued } = counts;
  return Object.entries({ pages, failed, skipped, duplicates, queued }).map(
    ([name, number]) =>
      html`<span data-run="${id}" data-count="${name}">${number === null ? '–' : formatNumber(number)}</span>`,
  );
}

const MOODS: Record<RunState, 'good' | 'warn' | 'alarm' | 'on' | 'plain'> = {
  waiting: 'plain',
  running: 'on',
  paused: 'warn',
  stopped: 'plain',
  done: 'good',
  failed: 'alarm',
};

function renderState({ id, state }: OperatorRun): Html {
  return html`<span data-run="${id}" data-state="${state}">${renderBadge(state, MOODS[state])}</span>`;
}

function renderButtons({ id, order, state }: OperatorRun, csrf: string): Html {
  const acts = ACTS[state] ?? [];
  return html`<div class="actions">${acts.map((act) => {
    const label = act[0]?.toUpperCase() + act.slice(1);
    return renderActionButton({ path: PATH, act, csrf, label, about: describeOrder(order), fields: { id } });
  })}</div>`;
}

const ACTS: Partial<Record<RunState, string[]>> = {
  waiting: ['pause', 'stop'],
  running: ['pause', 'stop'],
  paused: ['resume', 'stop'],
};

/** Describes an order in a few words. */
function describeOrder(order: RunOrder): string {
  if (order.kind === 'crawl')
    return `Crawl of ${order.starts.join(' ')}, up to ${formatNumber(order.pagesMax)} pages`;
  return order.kind === 'import'
    ? `Import of ${order.name}`
    : `Refresh of up to ${formatNumber(order.pagesMax)} pages`;
}

function renderCrawlForm({ csrf, typed }: SectionRequest): Html {
  return html`<form class="panel" method="post" action="${PATH}"><h2>Crawl a site</h2>${renderHiddenFields({ csrf, do: 'crawl' })}
<div class="stack">${renderField({ name: 'starts', label: 'Start addresses', value: typed.get('starts'), hint: 'One or more, with spaces between them. The crawl stays on their hosts.', required: true, maxlength: 8_000 })}
${renderField({ name: 'pages', id: 'crawl-pages', label: 'Pages at most', value: typed.get('pages') ?? String(PAGES), type: 'number' })}
${renderField({ name: 'depth', label: 'Links from a start address at most', value: typed.get('depth'), type: 'number', hint: 'Empty: no limit.' })}
${renderField({ name: 'delay', label: 'Milliseconds between requests to a host', value: typed.get('delay'), type: 'number', hint: 'Empty: 200 on the public web, or more where robots.txt asks for it.' })}
${renderCheckbox({ name: 'within', label: 'Stay in the folders of the start addresses', checked: typed.has('within') })}
${renderCheckbox({ name: 'fresh', label: 'Start over and fetch every page again', checked: typed.has('fresh') })}</div>
<button class="button" type="submit">Start the crawl</button></form>`;
}

async function renderImportForm({ imports }: ConsoleDeps, { csrf, typed }: SectionRequest): Promise<Html> {
  const names = await imports.names();
  const list = names.map((name) => html`<option value="${name}"></option>`);
  const hint =
    names.length === 0
      ? `Put HTML, Markdown, text, JSONL or WARC files into ${imports.folder} first.`
      : `A file or folder in ${imports.folder}: ${names.slice(0, 10).join(', ')}${names.length > 10 ? ' …' : ''}`;
  return html`<form class="panel" method="post" action="${PATH}"><h2>Import files</h2>${renderHiddenFields({ csrf, do: 'import' })}
<div class="field"><label for="name">File or folder</label>
<input id="name" name="name" value="${typed.get('name') ?? ''}" maxlength="500" autocomplete="off" spellcheck="false" required list="imports" aria-describedby="name-hint"><datalist id="imports">${list}</datalist>
<p class="quiet hint" id="name-hint">${hint}</p></div>
${renderField({ name: 'base', label: 'Web address of the folder', value: typed.get('base'), hint: 'Such as https://docs.example.org/. Empty: pages get file: addresses.' })}
<button class="button" type="submit">Import</button></form>`;
}

function renderRefreshForm({ csrf, typed }: SectionRequest): Html {
  return html`<form class="panel" method="post" action="${PATH}"><h2>Refresh</h2>${renderHiddenFields({ csrf, do: 'refresh' })}
<p>Reads pages again whose next visit is due, those that change often more often.</p>
${renderField({ name: 'pages', id: 'refresh-pages', label: 'Pages at most', value: typed.get('pages') ?? String(PAGES), type: 'number' })}
<button class="button" type="submit">Refresh</button></form>`;
}

async function renderCallerJobs({ jobs }: ConsoleDeps): Promise<Html> {
  return html`<section aria-labelledby="jobs"><h2 id="jobs">Jobs of callers</h2>
<p class="quiet">Crawls and batches over the API, kept for a day after their end. Only their owners see what they read.</p>
${renderTable({
  label: 'Jobs of callers',
  columns: [
    ...[{ title: 'Kind' }, { title: 'State' }],
    ...['Jobs', 'Pages read', 'Addresses waiting'].map((title) => ({ title, isNumber: true }) as const),
  ],
  rows: (await jobs.counts()).map(({ kind, state, ...counts }) => [
    ...[kind, state, formatNumber(counts.jobs), formatNumber(counts.pages), formatNumber(counts.pending)],
  ]),
  empty: 'There are no jobs.',
})}</section>`;
}

function readCrawlOrder(form: URLSearchParams): RunOrder {
  const starts = readRequiredText(form, 'starts', 8_000)
    .split(/[\s,]+/)
    .filter((start) => start !== '');
  if (starts.length > STARTS_MAX)
    throw createFieldFailure('starts', `must be at most ${STARTS_MAX} addresses`);
  const wrong = starts.find((start) => !/^https?:\/\/./i.test(start) || !URL.canParse(start));
  if (wrong !== undefined) throw createFieldFailure('starts', `${wrong} is no http(s) address`);
  return {
    kind: 'crawl',
    starts,
    withinPath: form.has('within'),
    fresh: form.has('fresh'),
    pagesMax: readFormNumber(form, 'pages', { min: 1, max: PAGES_MAX }) ?? PAGES,
    depthMax: readFormNumber(form, 'depth', { min: 0, max: DEPTH_MAX }),
    delayMs: readFormNumber(form, 'delay', { min: 0, max: DELAY_MS_MAX }),
  };
}

function readImportOrder(form: URLSearchParams): RunOrder {
  const baseUrl = readFormText(form, 'base');
  if (baseUrl !== null && !(/^https?:\/\/./i.test(baseUrl) && URL.canParse(baseUrl)))
    throw createFieldFailure('base', 'must be an http(s) address such as https://docs.example.org/');
  return { kind: 'import', name: readRequiredText(form, 'name'), baseUrl };
}

async function startRun(deps: ConsoleDeps, order: RunOrder, action: string) {
  const { id, state } = await deps.runs.start(order);
  await deps.actions.record({ action, id });
  return { text: state === 'waiting' ? 'It waits for its turn.' : 'It has begun.' };
}

async function changeRun(
  deps: ConsoleDeps,
  form: URLSearchParams,
  { verb, done }: { verb: 'pause' | 'resume' | 'stop'; done: string },
) {
  const id = readRequiredText(form, 'id');
  if (!(await deps.runs[verb](id)))
    throw createFieldFailure(
      'id',
      `cannot ${verb} any more; it has ended, or another process is at work on it`,
    );
  await deps.actions.record({ action: `run ${done}`, id });
  return { text: `It is ${done}.` };
}
