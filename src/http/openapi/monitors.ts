import * as z from 'zod';
import type { Operation, Parameter } from '../calls/operation.ts';
import { ChangedMonitorBody, MonitorBody } from '../v1/monitor-fields.ts';
import { MONITOR_EVENTS_PARAMETERS, MONITOR_FEED_PARAMETERS } from '../v1/monitors.ts';

const requestId = z.string().meta({ description: 'Identifies this call in the service log.' });
const whole = z.int().min(0);
const instant = z.string();

const monitor = z
  .looseObject({
    id: z.string(),
    name: z.string().nullable(),
    url: z.string().optional().meta({ description: 'The page; or `site`, `feed` or `query` instead.' }),
    schedule: z.string(),
    conditions: z.array(z.looseObject({})),
    deliver: z.array(z.looseObject({})),
    webhookSecret: z
      .string()
      .optional()
      .meta({ description: 'Signs the events of its webhooks, as Standard Webhooks say.' }),
    state: z.enum(['active', 'paused']),
    reason: z.string().nullable().meta({ description: 'Why the service paused it; null if it did not.' }),
    createdAt: instant,
    nextCheckAt: instant.nullable(),
    checkedAt: instant.nullable(),
    checks: whole,
    failures: whole.meta({ description: 'Checks that failed since the last one that did not.' }),
    lastCheck: z
      .looseObject({
        isChanged: z.boolean(),
        credits: whole.meta({ costs: true, description: 'What it cost.' }),
        compared: whole.meta({ description: 'Pages, entries or results that were compared.' }),
        total: whole.meta({ description: 'How many there are; the next check goes on with the rest.' }),
        error: z.string().nullable(),
      })
      .nullable(),
    feeds: z
      .object({ atom: z.string(), json: z.string() })
      .meta({ description: 'For feed readers. Whoever has these URLs can read the events.' }),
  })
  .meta({ title: 'Monitor' });

const passage = z
  .object({ quote: z.string(), start: whole, end: whole })
  .nullable()
  .meta({ description: "What stood there, with its offsets in that version's Markdown; null for none." });

const event = z.looseObject({
  id: z.string().meta({ description: 'Stays the same each time the event is sent.' }),
  monitorId: z.string(),
  number: whole,
  at: instant,
  kind: z.enum(['changed', 'added', 'removed', 'unreachable', 'back']),
  url: z.string().nullable(),
  title: z.string(),
  summary: z.string(),
  conditions: z.array(z.string()).meta({ description: 'The conditions that held, in words.' }),
  markdown: z.string().meta({ description: 'The changes, shortened; empty where no text is compared.' }),
  changes: z.array(
    z.looseObject({
      kind: z.enum(['added', 'removed', 'changed', 'moved']),
      headingPath: z.array(z.string()),
      before: passage,
      after: passage,
    }),
  ),
  changesTotal: whole.meta({ description: 'Changes that are not noise; at most 100 are in `changes`.' }),
  changedShare: z.number().min(0).max(1).nullable(),
});

const MonitorAnswer = z.object({ requestId, monitor }).meta({ title: 'MonitorAnswer' });

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
    answer: z.object({ requestId, monitors: z.array(monitor) }).meta({ title: 'Monitors' }),
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
    answer: z.object({ requestId, id: z.string(), deleted: z.boolean() }).meta({ title: 'DeletedMonitor' }),
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
      .object({ requestId, monitorId: z.string(), events: z.array(event) })
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
    answer: 'text/plain',
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
    answer: 'text/plain',
    errors: ['not_found'],
  },
};
