import type { JsonObject } from '../../calls/call.ts';
import type { Arguments, RouteCall, Tool } from '../tool.ts';
import { joinSections, readField, readRecords, readTextField } from '../writing.ts';

const PATH = '/v1/monitors';
/** Events in one answer; the API has the rest. */
const EVENTS = 10;

/**
 * The tool for monitors, in one definition: with a page, site, feed or query it sets one up, with an id it reads what that saw, and with
 * nothing it lists them. It is offered only where the address names it, because few agents need it.
 */
export const watch: Tool = {
  name: 'watch',
  title: 'Watch a page or search',
  description:
    'Watch a page, site, feed or search; with id say what changed; without anything list what is watched.',
  price: 'Free; a check 1 credit per changed page.',
  fields: {
    url: { kind: 'text', about: 'a page' },
    site: { kind: 'text' },
    feed: { kind: 'text' },
    query: { kind: 'text', aliases: ['q', 'search'] },
    schedule: { kind: 'text', about: '2h, 1d, cron or adaptive', aliases: ['every', 'interval'] },
    phrase: { kind: 'text', about: 'tell when it appears' },
    id: { kind: 'text', about: 'of a monitor', aliases: ['monitor', 'monitor_id'] },
  },
  annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: true },
  call: buildCall,
  write(body, { id }) {
    if (typeof id === 'string') return { text: writeEvents(readRecords(body, 'events')) };
    const created = readField(body, 'monitor');
    if (created !== null && created !== undefined) return { text: `Watched.\n\n${formatMonitor(created)}` };
    const monitors = readRecords(body, 'monitors');
    const text = monitors.length === 0 ? 'Nothing is watched.' : joinSections(monitors.map(formatMonitor));
    return { text };
  },
};

function buildCall({ id, phrase, ...target }: Arguments): RouteCall {
  if (typeof id === 'string') {
    const target = `${PATH}/${encodeURIComponent(id)}/events?limit=${EVENTS}`;
    return { method: 'GET', path: `${PATH}/:id/events`, target };
  }
  const { url, site, feed, query, schedule } = target;
  if ([url, site, feed, query].every((one) => one === undefined)) return { method: 'GET', path: PATH };
  const conditions = phrase === undefined ? undefined : [{ phrase }];
  return { method: 'POST', path: PATH, body: { url, site, feed, query, schedule, conditions } };
}

function formatMonitor(monitor: unknown): string {
  const read = (name: string): string => readTextField(monitor, name);
  const what = [read('name'), read('url'), read('site'), read('feed'), read('query')].find(
    (one) => one !== '',
  );
  const checked = read('checkedAt');
  const problem = readTextField(readField(monitor, 'lastCheck'), 'error');
  return [
    `${read('id')}: ${what ?? ''}`,
    `${read('schedule')}, ${read('state')}${checked === '' ? '' : `, last checked ${checked}`}`,
    ...(problem === '' ? [] : [problem]),
  ].join('\n');
}

function writeEvents(events: JsonObject[]): string {
  if (events.length === 0) return 'Nothing has changed yet.';
  return joinSections(
    events.map((event) => {
      const read = (name: string): string => readTextField(event, name);
      return [`${read('at')}: ${read('summary')}`, read('url'), read('markdown')]
        .filter((part) => part !== '')
        .join('\n');
    }),
  );
}
