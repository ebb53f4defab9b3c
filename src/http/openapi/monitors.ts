import * as z from 'zod';
import type { Operation, Parameter } from '../calls/operation.ts';
import { ChangedMonitorBody, MonitorBody } from '../v1/monitor-fields.ts';
import { MONITOR_EVENTS_PARAMETERS, MONITOR_FEED_PARAMETERS } from '../v1/monitors.ts';

const requestId = z.string().meta({ description: 'Identifies this call in the service log.' });
const whole = z.int().min(0);
const describeInstant = (description: string) => z.string().meta({ description });
const count = (description: string) => whole.meta({ description });
const monitorId = z.string().meta({ description: 'The monitor that saw it.' });

const monitor = z
  .looseObject({
    id: z.string(),
    name: z.string().nullable(),
    url: z.string().optional().meta({ description: 'The page; or `site`, `feed` or `query` instead.' }),
    schedule: z.string().meta({ description: 'As it was given.' }),
    conditions: z.array(z.looseObject({})).meta({ description: 'As they were given.' }),
    deliver: z.array(z.looseObject({})).meta({ description: 'Where events are sent, without the headers.' }),
    webhookSecret: z
      .string()
      .optional()
      .meta({ description: 'Signs the events of its webhooks, as Standard Webhooks say.' }),
    state: z.enum(['active', 'paused']),
    reason: z.string().nullable().meta({ description: 'Why the service paused it; null if it did not.' }),
    createdAt: describeInstant('When it was set up.'),
    nextCheckAt: z
      .string()
      .nullable()
      .meta({ description: 'When it is looked at next; null while it is paused.' }),
    checkedAt: z
      .string()
      .nullable()
      .meta({ description: 'When it was last looked at; null before the first time.' }),
    checks: count('How often it was looked at.'),
    failures: whole.meta({ description: 'Checks that failed since the last one that did not.' }),
    lastCheck: z
      .looseObject({
        isChanged: z.boolean().meta({
          description: 'Whether something changed that is not noise, also where no condition held.',
        }),
        credits: whole.meta({ costs: true, description: 'What it cost.' }),
        compared: whole.meta({ description: 'Pages, entries or results that were compared.' }),
        total: whole.meta({ description: 'How many there are; the next check goes on with the rest.' }),
        leftOut: z.string().nullable().meta({
          description: 'What a bound left out, such as pages of a site that has more, or null.',
        }),
        error: z.string().nullable().meta({ description: 'Why it failed, or null.' }),
      })
      .nullable()
      .meta({ description: 'What the last check did; null before the first.' }),
    deliveryProblem: z
      .string()
      .nullable()
      .meta({ description: 'Why an event did not reach a channel; null once the next one does.' }),
    feeds: z
      .object({
        atom: z.string().meta({ description: 'URL of an Atom feed.' }),
        json: z.string().meta({ description: 'URL of a JSON Feed.' }),
      })
      .meta({ description: 'For feed readers. Whoever has these URLs can read the events.' }),
  })
  .meta({ title: 'Monitor' });

const passage = z
  .object({
    quote: z.string(),
    start: count("Start offset in that version's Markdown."),
    end: whole,
  })
  .nullable()
  .meta({ description: 'What stood there; null for none.' });

const event = z.looseObject({
  id: z.string().meta({ description: 'Stays the same each time the event is sent.' }),
  monitorId,
  number: count('1, 2, 3 … within the monitor.'),
  at: describeInstant('When it was seen.'),
  kind: z.enum(['changed', 'added', 'removed', 'unreachable', 'back']),
  url: z.string().nullable(),
  title: z.string(),
  summary: z.string().meta({ description: 'What happened, in one line.' }),
  conditions: z.array(z.string()).meta({ description: 'The conditions that held, in words.' }),
  markdown: z.string().meta({ description: 'The changes, shortened; empty where no text is compared.' }),
  changes: z
    .array(
      z.looseObject({
        kind: z.enum(['added', 'removed', 'changed', 'moved']),
        headingPath: z.array(z.string()).meta({ description: 'The headings above it, outermost first.' }),
        before: passage,
        after: passage,
      }),
    )
    .meta({ description: 'What changed, block by block, in the order of the page.' }),
  changesTotal: whole.meta({ description: 'Changes that are not noise; at most 100 are in `changes`.' }),
  changedShare: z
    .number()
    .min(0)
    .max(1)
    .nullable()
    .meta({ description: 'Share of the text that changed; null where no text is compared.' }),
});

const MonitorAnswer = z
  .object({ requestId, monitor: monitor.meta({ title: 'Monitor', description: 'The monitor.' }) })
  .meta({ title: 'MonitorAnswer' });

const ID: Parameter = {
  name: 'id',
  in: 'path',
  required: true,
  about: 'The `id` of the monitor.',
  schema: z.string(),
};
const tag = 'pages';
const price = 'Free.';

/** The operations on monitors, keyed like `OPERATIONS`. */
export const MONITOR_OPERATIONS: Record<string, Operation> = {
  'POST /v1/monitors': {
    id: 'createMonitor',
    tag,
    summary: 'Watch a page, site, feed or search',
    about:
      'Looks at it regularly and makes an event when something changes that is not noise, or when a condition comes true. The first check only learns. Pages are asked for conditionally, and robots.txt decides.',
    price:
      'Free. A check costs 1 credit for each page that was sent anew, 1 for a search, and 1 for the map of a site; nothing for a page that has not changed.',
    body: MonitorBody,
    answer: MonitorAnswer,
    errors: ['url_not_allowed', 'validation_error', 'rate_limited', 'overloaded'],
  },
  'GET /v1/monitors': {
    id: 'monitors',
    tag,
    summary: 'List monitors',
    about: "The caller's monitors, the newest first.",
    price,
    answer: z
      .object({ requestId, monitors: z.array(monitor).meta({ description: 'The newest first.' }) })
      .meta({ title: 'Monitors' }),
    errors: [],
  },
  'GET /v1/monitors/:id': {
    id: 'monitor',
    path: '/v1/monitors/{id}',
    tag,
    summary: 'Get a monitor',
    about: 'A monitor of the caller, with what its last check did.',
    price,
    parameters: [ID],
    answer: MonitorAnswer,
    errors: ['not_found'],
  },
  'POST /v1/monitors/:id': {
    id: 'changeMonitor',
    path: '/v1/monitors/{id}',
    tag,
    summary: 'Change, pause or check a monitor',
    about: 'Fields that are absent stay as they are. What is watched cannot be changed.',
    price,
    parameters: [ID],
    body: ChangedMonitorBody,
    answer: MonitorAnswer,
    errors: ['not_found', 'url_not_allowed', 'validation_error'],
  },
  'DELETE /v1/monitors/:id': {
    id: 'deleteMonitor',
    path: '/v1/monitors/{id}',
    tag,
    summary: 'Delete a monitor',
    about: 'Its events are deleted with it.',
    price,
    parameters: [ID],
    answer: z
      .object({
        requestId,
        id: z.string(),
        deleted: z.boolean().meta({ description: 'Always true: what is not there is 404.' }),
      })
      .meta({ title: 'DeletedMonitor' }),
    errors: ['not_found'],
  },
  'GET /v1/monitors/:id/events': {
    id: 'monitorEvents',
    path: '/v1/monitors/{id}/events',
    tag,
    summary: 'Read what a monitor saw',
    about: 'Its events, the newest first; the last 200 of 90 days are kept.',
    price,
    parameters: [ID, ...MONITOR_EVENTS_PARAMETERS],
    answer: z
      .object({
        requestId,
        monitorId,
        events: z.array(event).meta({ description: 'The newest first.' }),
      })
      .meta({ title: 'MonitorEvents' }),
    errors: ['not_found'],
  },
  'GET /v1/monitors/:id/feed.atom': {
    id: 'monitorAtomFeed',
    path: '/v1/monitors/{id}/feed.atom',
    tag,
    summary: 'Follow a monitor as an Atom feed',
    about: 'For feed readers: the URL is among the `feeds` of the monitor and needs no key.',
    price,
    parameters: [ID, ...MONITOR_FEED_PARAMETERS],
    answer: 'application/atom+xml',
    errors: ['not_found'],
  },
  'GET /v1/monitors/:id/feed.json': {
    id: 'monitorJsonFeed',
    path: '/v1/monitors/{id}/feed.json',
    tag,
    summary: 'Follow a monitor as a JSON Feed',
    about: 'For feed readers: the URL is among the `feeds` of the monitor and needs no key.',
    price,
    parameters: [ID, ...MONITOR_FEED_PARAMETERS],
    answer: 'application/feed+json',
    errors: ['not_found'],
  },
};
