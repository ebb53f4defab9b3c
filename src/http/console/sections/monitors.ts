import { MONITORS, URL_CHARS_MAX } from '../../../contract/limits.ts';
import type { Monitor, MonitorEvent, MonitorOrder } from '../../../monitors/monitor-types.ts';
import { formatSchedule } from '../../../monitors/schedule.ts';
import { type Html, html } from '../../site/html.ts';
import { readMonitorOrder } from '../../v1/monitor-fields.ts';
import type { ConsoleDeps } from '../console-types.ts';
import { renderChanges } from '../parts/changes.ts';
import {
  createFieldFailure,
  formatCount,
  readFormText,
  readRequiredText,
  renderActionButton,
  renderBadge,
  renderConfirmedButton,
  renderField,
  renderHiddenFields,
  renderSelect,
  renderTable,
  renderTime,
} from '../parts/controls.ts';
import type { Section, SectionRequest } from '../section.ts';

const PATH = '/admin/monitors';
/** The owner of the monitors that are set up here. They cost nothing. */
const OPERATOR = 'operator';
const LISTED_MAX = 200;
const EVENTS_SHOWN = 20;
const TARGETS = { url: 'A page', site: 'A site', feed: 'A feed', query: 'A search' };
const CHANNELS = { webhook: 'Webhook', slack: 'Slack', discord: 'Discord', email: 'Email' };

/** GET /admin/monitors: all monitors, what those of the operator saw, and a form for another one. What callers' monitors see is theirs. */
export const monitorsSection: Section = {
  path: PATH,
  name: 'Monitors',
  async show(deps, asked) {
    const all = (await deps.monitors.listAll(LISTED_MAX)).map((monitor) =>
      // Where nothing is metered, all callers are the operator's own.
      Object.assign(monitor, { isOwn: monitor.owner === OPERATOR || deps.money === null }),
    );
    const chosen = all.find(({ id, isOwn }) => isOwn && id === asked.query.get('id'));
    return {
      main: html`<p class="lead">Pages, sites, feeds and searches that are watched for changes.</p>
${chosen !== undefined && (await renderEvents(deps, chosen))}
${renderMonitors(all, asked.csrf)}
${all.length === LISTED_MAX && html`<p class="quiet">These are the newest ${LISTED_MAX}.</p>`}
${renderOrderForm(asked)}`,
    };
  },
  actions: {
    async watch(deps, form) {
      const order = readOrder(deps, form);
      const { id } = await deps.monitors.create({ owner: OPERATOR, keyId: null, order });
      await deps.actions.record({ action: 'monitor set up', id });
      return { text: 'Its first check is the one that later ones are compared with.', to: buildLink(id) };
    },
    pause: (deps, form) => changeMonitor(deps, form, { state: 'paused' }),
    resume: (deps, form) => changeMonitor(deps, form, { state: 'active' }),
    check: (deps, form) => changeMonitor(deps, form, { checksNow: true }),
    async delete({ monitors, actions }, form) {
      const { owner, id } = readMonitorName(form);
      if (!(await monitors.remove(owner, id))) throw createFieldFailure('id', 'is no monitor any more');
      await actions.record({ action: 'monitor deleted', id });
      return { text: 'It is deleted, with what it saw.' };
    },
  },
};

type ListedMonitor = Monitor & { isOwn: boolean };

const buildLink = (id: string): string => `${PATH}?id=${id}`;

function renderMonitors(all: readonly ListedMonitor[], csrf: string): Html {
  return renderTable({
    label: 'Monitors',
    columns: ['Watched', 'State', 'Last check', 'Next check', 'Do'].map((title) => ({ title })),
    rows: all.map((monitor) => [
      renderName(monitor),
      renderState(monitor),
      renderLastCheck(monitor),
      monitor.state === 'active' ? renderTime(monitor.nextAt) : '–',
      renderButtons(monitor, csrf),
    ]),
    empty: 'Nothing is watched yet.',
  });
}

/** Describes a caller's monitor to the operator: only its kind and the host that it asks. */
function describeTarget({ isOwn, order }: ListedMonitor): string {
  const { target, name } = order;
  if (isOwn) return name ?? (target.kind === 'search' ? target.query : target.url);
  return target.kind === 'search' ? 'A search' : `A ${target.kind} of ${new URL(target.url).host}`;
}

function renderName(monitor: ListedMonitor): Html {
  const { id, isOwn, order } = monitor;
  const name = html`<span class="address">${describeTarget(monitor)}</span>`;
  const schedule = `${order.target.kind} · ${formatSchedule(order.schedule)}`;
  return isOwn
    ? html`<a href="${buildLink(id)}">${name}</a><br><span class="quiet">${schedule}</span>`
    : html`${name}<br><span class="quiet">${schedule} · a caller's</span>`;
}

function renderState({ state, reason, failures }: Monitor): Html {
  if (state === 'paused') return renderBadge(reason === 'credits' ? 'no credits' : 'paused', 'warn');
  return failures > 0 ? renderBadge('fails', 'alarm') : renderBadge('active', 'good');
}

function renderLastCheck({ checkedAt, outcome, failures, deliveryProblem }: Monitor): Html | string {
  if (checkedAt === null || outcome === null) return 'none yet';
  const { error, isChanged, compared, total, leftOut } = outcome;
  const saw = isChanged ? 'changed' : 'unchanged';
  const part = compared < total ? `, ${compared} of ${total} compared` : '';
  const why =
    error === null ? `${saw}${part}` : `${error}${failures > 1 ? ` (${failures} times in a row)` : ''}`;
  return html`${renderTime(checkedAt)}<br><span class="quiet">${why}${leftOut ? `. ${leftOut}` : ''}${deliveryProblem !== null && ` ${deliveryProblem}`}</span>`;
}

function renderButtons(monitor: ListedMonitor, csrf: string): Html {
  const { id, owner, state, isOwn } = monitor;
  const common = { path: PATH, csrf, about: describeTarget(monitor), fields: { id, owner } };
  // A check now would cost a caller credits that they did not ask to spend.
  const hasCheck = isOwn && state === 'active';
  return html`<div class="actions">${hasCheck && renderActionButton({ act: 'check', label: 'Check now', ...common })}${
    state === 'active'
      ? renderActionButton({ act: 'pause', label: 'Pause', ...common })
      : renderActionButton({ act: 'resume', label: 'Resume', ...common })
  }${renderConfirmedButton({ act: 'delete', label: 'Delete', question: 'It is deleted with all that it saw.', ...common })}</div>`;
}

async function renderEvents({ monitors }: ConsoleDeps, monitor: ListedMonitor): Promise<Html> {
  const events = await monitors.events(monitor.id, { before: null, limit: EVENTS_SHOWN });
  return html`<section aria-labelledby="events"><h2 id="events">What it saw</h2>
<p class="quiet address">${describeTarget(monitor)}</p>
${events.length === 0 ? html`<div class="empty"><p>Nothing yet.</p></div>` : events.map(renderEvent)}</section>`;
}

const MOODS: Record<MonitorEvent['kind'], Parameters<typeof renderBadge>[1]> = {
  changed: 'on',
  added: 'good',
  removed: 'warn',
  unreachable: 'alarm',
  back: 'good',
};

function renderEvent({
  kind,
  at,
  url,
  title,
  conditions,
  changes,
  changesTotal,
  markdown,
}: MonitorEvent): Html {
  const hidden = changesTotal - changes.length;
  return html`<article class="event"><h3>${renderBadge(kind, MOODS[kind])} ${url === null ? title : html`<a class="address" href="${url}" rel="noreferrer nofollow">${title}</a>`}</h3>
<p class="quiet">${renderTime(at)} UTC${conditions.length > 0 && ` · ${conditions.join('; ')}`}</p>
${changes.length === 0 ? markdown !== '' && html`<p class="passage">${markdown}</p>` : renderChanges(changes)}
${hidden > 0 && html`<p class="quiet">And ${formatCount(hidden, 'further change')}.</p>`}</article>`;
}

function renderOrderForm({ csrf, typed }: SectionRequest): Html {
  const value = (name: string): string | null => typed.get(name);
  return html`<form class="panel" method="post" action="${PATH}"><h2>Watch something</h2>${renderHiddenFields({ csrf, do: 'watch' })}
<div class="stack">${renderSelect({ name: 'kind', label: 'What', options: TARGETS, value: value('kind') })}
${renderField({ name: 'what', label: 'Address, or words to search for', value: value('what'), required: true, maxlength: URL_CHARS_MAX })}
${renderField({ name: 'name', label: 'Name', value: value('name'), hint: 'In messages. Empty: the address.', maxlength: MONITORS.phraseCharsMax })}
${renderField({ name: 'schedule', label: 'How often', value: value('schedule'), hint: 'An interval such as 15m, 2h or 1d, or five cron words in UTC. Empty: as often as it changes.' })}
${renderField({ name: 'phrase', label: 'Only if this phrase appears', value: value('phrase'), maxlength: MONITORS.phraseCharsMax })}
${renderSelect({ name: 'channel', label: 'Send what it sees to', options: { '': 'Nobody; it is shown here', ...CHANNELS }, value: value('channel') })}
${renderField({ name: 'to', label: 'Address to send to', value: value('to'), maxlength: URL_CHARS_MAX })}</div>
<button class="button" type="submit">Watch</button></form>`;
}

function readOrder({ monitorRules, clock }: ConsoleDeps, form: URLSearchParams): MonitorOrder {
  const readName = (field: string, names: object, otherwise: string): string => {
    const given = form.get(field) ?? '';
    return Object.hasOwn(names, given) ? given : otherwise;
  };
  const [name, phrase] = [readFormText(form, 'name'), readFormText(form, 'phrase')];
  const channel = readName('channel', CHANNELS, '');
  const body = {
    [readName('kind', TARGETS, 'url')]: readRequiredText(form, 'what', URL_CHARS_MAX),
    schedule: readFormText(form, 'schedule') ?? 'adaptive',
    ...(name === null ? {} : { name }),
    ...(phrase === null ? {} : { conditions: [{ phrase }] }),
    ...(channel === '' ? {} : { deliver: [{ [channel]: readRequiredText(form, 'to', URL_CHARS_MAX) }] }),
  };
  return readMonitorOrder(body, monitorRules, { now: clock.now(), keep: true });
}

async function changeMonitor(
  { monitors, actions }: ConsoleDeps,
  form: URLSearchParams,
  change: { state?: Monitor['state']; checksNow?: boolean },
) {
  const { owner, id } = readMonitorName(form);
  const changed = await monitors.change(owner, id, change);
  if (changed === null) throw createFieldFailure('id', 'is no monitor any more');
  const done = change.checksNow === true ? 'checked' : change.state === 'paused' ? 'paused' : 'resumed';
  await actions.record({ action: `monitor ${done}`, id });
  return {
    text: change.checksNow === true ? 'It is checked now.' : `It is ${done}.`,
    to: buildLink(id),
  };
}

/** The owner is empty where calls have none. */
function readMonitorName(form: URLSearchParams): { owner: string; id: string } {
  return { owner: readFormText(form, 'owner') ?? '', id: readRequiredText(form, 'id') };
}
