import type { OperatorRun, RunOrder, RunState } from '../../../crawl/runs/run-types.ts';
import { count } from '../../site/amounts.ts';
import { scriptOf } from '../../site/assets.ts';
import { type Html, html } from '../../site/html.ts';
import type { ConsoleDeps } from '../console-types.ts';
import { actionButton, badge, field, hidden, table, tick } from '../parts/controls.ts';
import { numberIn, refused, textIn, wantedText } from '../parts/fields.ts';
import { moment, span } from '../parts/words.ts';
import type { Asked, Section } from '../section.ts';

const PATH = '/admin/crawls';
const SCRIPT = scriptOf(new URL('crawls.js', import.meta.url));
const PAGES_MAX = 1_000_000;
const PAGES = 1_000;
const STARTS_MAX = 20;
const DEPTH_MAX = 1_000;
const DELAY_MS_MAX = 600_000;
/** Browsers without scripts see progress this often. */
const REFRESH_SECONDS = 5;

/** GET /admin/crawls: crawls and imports that this server runs, and jobs of callers as counts. */
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
${runsTable(runs, asked.csrf)}
<div class="two">${crawlForm(asked)}<div>${await importForm(deps, asked)}${refreshForm(asked)}</div></div>
${await jobsOfCallers(deps)}`,
    };
  },
  actions: {
    crawl: (deps, form) => start(deps, crawlOrder(form), 'crawl started'),
    import: (deps, form) => start(deps, importOrder(form), 'import started'),
    refresh: (deps, form) =>
      start(
        deps,
        { kind: 'refresh', pagesMax: numberIn(form, 'pages', { min: 1, max: PAGES_MAX }) ?? PAGES },
        'refresh started',
      ),
    pause: (deps, form) => change(deps, form, { verb: 'pause', done: 'paused' }),
    resume: (deps, form) => change(deps, form, { verb: 'resume', done: 'resumed' }),
    stop: (deps, form) => change(deps, form, { verb: 'stop', done: 'stopped' }),
  },
};

function runsTable(runs: OperatorRun[], csrf: string): Html {
  const numbers = ['Pages', 'Failed', 'Skipped', 'Same', 'Queued'];
  return table({
    label: 'Crawls and imports',
    columns: [
      ...[{ title: 'What' }, { title: 'State' }],
      ...numbers.map((title) => ({ title, isNumber: true }) as const),
      { title: 'Do' },
    ],
    rows: runs.map((run) => [
      html`<span class="address">${nameOf(run.order)}</span><br><span class="quiet note-of-run">${timesOf(run)}${run.note !== null && html`. ${run.note}`}</span>`,
      stateOf(run),
      ...countsOf(run),
      buttonsOf(run, csrf),
    ]),
    empty: 'Nothing has been crawled or imported by this server yet.',
  });
}

function timesOf({ startedAt, endedAt, createdAt }: OperatorRun): Html {
  if (startedAt === null) return html`Waits since ${moment(createdAt)} UTC`;
  const end = endedAt === null ? null : html`, ended after ${span(endedAt - startedAt)}`;
  return html`Started ${moment(startedAt)} UTC${end}`;
}

/** The script finds these cells by their names. */
function countsOf({ id, counts }: OperatorRun): Html[] {
  const { pages, failed, skipped, duplicates, queued } = counts;
  return Object.entries({ pages, failed, skipped, duplicates, queued }).map(
    ([name, number]) =>
      html`<span data-run="${id}" data-count="${name}">${number === null ? '–' : count(number)}</span>`,
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

function stateOf({ id, state }: OperatorRun): Html {
  return html`<span data-run="${id}" data-state="${state}">${badge(state, MOODS[state])}</span>`;
}

function buttonsOf({ id, order, state }: OperatorRun, csrf: string): Html {
  const acts = ACTS[state] ?? [];
  return html`<div class="actions">${acts.map((act) => {
    const label = act[0]?.toUpperCase() + act.slice(1);
    return actionButton({ path: PATH, act, csrf, label, about: nameOf(order), fields: { id } });
  })}</div>`;
}

const ACTS: Partial<Record<RunState, string[]>> = {
  waiting: ['pause', 'stop'],
  running: ['pause', 'stop'],
  paused: ['resume', 'stop'],
};

/** An order in a few words. */
function nameOf(order: RunOrder): string {
  if (order.kind === 'crawl')
    return `Crawl of ${order.starts.join(' ')}, up to ${count(order.pagesMax)} pages`;
  return order.kind === 'import'
    ? `Import of ${order.name}`
    : `Refresh of up to ${count(order.pagesMax)} pages`;
}

function crawlForm({ csrf, typed }: Asked): Html {
  return html`<form class="panel" method="post" action="${PATH}"><h2>Crawl a site</h2>${hidden({ csrf, do: 'crawl' })}
<div class="stack">${field({ name: 'starts', label: 'Start addresses', value: typed.get('starts'), hint: 'One or more, with spaces between them. The crawl stays on their hosts.', required: true, maxlength: 8_000 })}
${field({ name: 'pages', id: 'crawl-pages', label: 'Pages at most', value: typed.get('pages') ?? String(PAGES), type: 'number' })}
${field({ name: 'depth', label: 'Links from a start address at most', value: typed.get('depth'), type: 'number', hint: 'Empty: no limit.' })}
${field({ name: 'delay', label: 'Milliseconds between requests to a host', value: typed.get('delay'), type: 'number', hint: 'Empty: 200 on the public web, or more where robots.txt asks for it.' })}
${tick({ name: 'within', label: 'Stay in the folders of the start addresses', checked: typed.has('within') })}
${tick({ name: 'fresh', label: 'Start over and fetch every page again', checked: typed.has('fresh') })}</div>
<button class="button" type="submit">Start the crawl</button></form>`;
}

async function importForm({ imports }: ConsoleDeps, { csrf, typed }: Asked): Promise<Html> {
  const names = await imports.names();
  const list = names.map((name) => html`<option value="${name}"></option>`);
  const hint =
    names.length === 0
      ? `Put HTML, Markdown, text, JSONL or WARC files into ${imports.folder} first.`
      : `A file or folder in ${imports.folder}: ${names.slice(0, 10).join(', ')}${names.length > 10 ? ' …' : ''}`;
  return html`<form class="panel" method="post" action="${PATH}"><h2>Import files</h2>${hidden({ csrf, do: 'import' })}
<div class="field"><label for="name">File or folder</label>
<input id="name" name="name" value="${typed.get('name') ?? ''}" maxlength="500" autocomplete="off" spellcheck="false" required list="imports" aria-describedby="name-hint"><datalist id="imports">${list}</datalist>
<p class="quiet hint" id="name-hint">${hint}</p></div>
${field({ name: 'base', label: 'Web address of the folder', value: typed.get('base'), hint: 'Such as https://docs.example.org/. Empty: pages get file: addresses.' })}
<button class="button" type="submit">Import</button></form>`;
}

function refreshForm({ csrf, typed }: Asked): Html {
  return html`<form class="panel" method="post" action="${PATH}"><h2>Refresh</h2>${hidden({ csrf, do: 'refresh' })}
<p>Reads pages again whose next visit is due, those that change often more often.</p>
${field({ name: 'pages', id: 'refresh-pages', label: 'Pages at most', value: typed.get('pages') ?? String(PAGES), type: 'number' })}
<button class="button" type="submit">Refresh</button></form>`;
}

async function jobsOfCallers({ jobs }: ConsoleDeps): Promise<Html> {
  return html`<section aria-labelledby="jobs"><h2 id="jobs">Jobs of callers</h2>
<p class="quiet">Crawls and batches over the API, kept for a day after their end. Only their owners see what they read.</p>
${table({
  label: 'Jobs of callers',
  columns: [
    ...[{ title: 'Kind' }, { title: 'State' }],
    ...['Jobs', 'Pages read', 'Addresses waiting'].map((title) => ({ title, isNumber: true }) as const),
  ],
  rows: (await jobs.counts()).map(({ kind, state, ...counts }) => [
    ...[kind, state, count(counts.jobs), count(counts.pages), count(counts.pending)],
  ]),
  empty: 'There are no jobs.',
})}</section>`;
}

function crawlOrder(form: URLSearchParams): RunOrder {
  const starts = wantedText(form, 'starts', 8_000)
    .split(/[\s,]+/)
    .filter((start) => start !== '');
  if (starts.length > STARTS_MAX) throw refused('starts', `must be at most ${STARTS_MAX} addresses`);
  const wrong = starts.find((start) => !/^https?:\/\/./i.test(start) || !URL.canParse(start));
  if (wrong !== undefined) throw refused('starts', `${wrong} is no http(s) address`);
  return {
    kind: 'crawl',
    starts,
    withinPath: form.has('within'),
    fresh: form.has('fresh'),
    pagesMax: numberIn(form, 'pages', { min: 1, max: PAGES_MAX }) ?? PAGES,
    depthMax: numberIn(form, 'depth', { min: 0, max: DEPTH_MAX }),
    delayMs: numberIn(form, 'delay', { min: 0, max: DELAY_MS_MAX }),
  };
}

function importOrder(form: URLSearchParams): RunOrder {
  const baseUrl = textIn(form, 'base');
  if (baseUrl !== null && !(/^https?:\/\/./i.test(baseUrl) && URL.canParse(baseUrl)))
    throw refused('base', 'must be an http(s) address such as https://docs.example.org/');
  return { kind: 'import', name: wantedText(form, 'name'), baseUrl };
}

async function start(deps: ConsoleDeps, order: RunOrder, action: string) {
  const { id, state } = await deps.runs.start(order);
  await deps.actions.record({ action, id });
  return { text: state === 'waiting' ? 'It waits for its turn.' : 'It has begun.' };
}

async function change(
  deps: ConsoleDeps,
  form: URLSearchParams,
  { verb, done }: { verb: 'pause' | 'resume' | 'stop'; done: string },
) {
  const id = wantedText(form, 'id');
  if (!(await deps.runs[verb](id)))
    throw refused('id', `cannot ${verb} any more; it has ended, or another process is at work on it`);
  await deps.actions.record({ action: `run ${done}`, id });
  return { text: `It is ${done}.` };
}
