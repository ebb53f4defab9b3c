import * as z from 'zod';
import { Failure } from '../../contract/errors.ts';
import { toPublicEvent } from '../../monitors/deliveries/format-event.ts';
import { writeAtomFeed, writeJsonFeed } from '../../monitors/deliveries/write-feeds.ts';
import type { Monitor, MonitorChannel } from '../../monitors/monitor-types.ts';
import type { Monitors } from '../../monitors/monitors.ts';
import { formatSchedule } from '../../monitors/schedule.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Call, FreeRoute, JsonObject } from '../calls/call.ts';
import { resolveOwner } from '../calls/caller.ts';
import { buildIgnoredHeader, buildKnownFields, findIgnoredFields } from '../calls/ignored-fields.ts';
import type { Parameter } from '../calls/operation.ts';
import {
  ChangedMonitorBody,
  MonitorBody,
  type MonitorRules,
  readMonitorChange,
  readMonitorOrder,
} from './monitor-fields.ts';

export type MonitorDeps = MonitorRules & {
  monitors: Monitors;
  clock: Clock;
  /** Returns the secret that signs an owner's webhooks. */
  webhookSecretOf(owner: string): string;
  /** Returns the address of the service as the caller knows it. */
  addressFor(call: Pick<Call, 'headers'>): string;
};

type Handle = FreeRoute['handle'];

const EVENTS = { default: 20, max: 100 } as const;
/** Events in a feed. */
const FEED_EVENTS = 50;
const NEW_FIELDS = buildKnownFields(Object.keys(MonitorBody.shape));
const CHANGED_FIELDS = buildKnownFields(Object.keys(ChangedMonitorBody.shape));

/** POST /v1/monitors. Errors: 400 url_not_allowed, 401 without a key, 422 validation_error, 429 rate_limited. */
export function createMonitorHandler(deps: MonitorDeps): Handle {
  return async (call) => {
    const { body, requestId } = call;
    const { owner, keyId } = resolveOwner(call, 'Monitors');
    const order = readMonitorOrder(body, deps, { now: deps.clock.now(), keep: call.keep });
    const monitor = await deps.monitors.create({ owner, keyId, order });
    return {
      body: { requestId, monitor: toPublicMonitor(deps, call, monitor) },
      headers: buildIgnoredHeader(findIgnoredFields(body, NEW_FIELDS)),
    };
  };
}

/** GET /v1/monitors: the caller's monitors, newest first. */
export function createMonitorsHandler(deps: MonitorDeps): Handle {
  return async (call) => {
    const all = await deps.monitors.list(resolveOwner(call, 'Monitors').owner);
    return {
      body: {
        requestId: call.requestId,
        monitors: all.map((monitor) => toPublicMonitor(deps, call, monitor)),
      },
    };
  };
}

/** GET /v1/monitors/{id}. Errors: 404. */
export function createMonitorStateHandler(deps: MonitorDeps): Handle {
  return async (call) => {
    const monitor = await findOwn(deps, call);
    return { body: { requestId: call.requestId, monitor: toPublicMonitor(deps, call, monitor) } };
  };
}

/** POST /v1/monitors/{id}: changes it. Errors: 404, 422. */
export function createChangeMonitorHandler(deps: MonitorDeps): Handle {
  return async (call) => {
    const { body, requestId } = call;
    const { id, owner, order } = await findOwn(deps, call);
    const change = readMonitorChange(body, order, deps, deps.clock.now());
    const changed = await deps.monitors.change(owner, id, change);
    if (changed === null) throw createNotFound();
    return {
      body: { requestId, monitor: toPublicMonitor(deps, call, changed) },
      headers: buildIgnoredHeader(findIgnoredFields(body, CHANGED_FIELDS)),
    };
  };
}

/** DELETE /v1/monitors/{id}: deletes it with its events. Errors: 404. */
export function createDeleteMonitorHandler(deps: MonitorDeps): Handle {
  return async (call) => {
    const { id, owner } = await findOwn(deps, call);
    if (!(await deps.monitors.remove(owner, id))) throw createNotFound();
    return { body: { requestId: call.requestId, id, deleted: true } };
  };
}

/** GET /v1/monitors/{id}/events: newest first. Errors: 404. */
export function createMonitorEventsHandler(deps: MonitorDeps): Handle {
  return async (call) => {
    const monitor = await findOwn(deps, call);
    const limit = readNumber(call.query.get('limit')) ?? EVENTS.default;
    const events = await deps.monitors.events(monitor.id, {
      before: readNumber(call.query.get('before')),
      limit: Math.max(1, Math.min(limit, EVENTS.max)),
    });
    return {
      body: {
        requestId: call.requestId,
        monitorId: monitor.id,
        events: events.map((event) => toPublicEvent(monitor, event)),
      },
    };
  };
}

const readNumber = (text: string | null): number | null =>
  /^\d{1,9}$/.test(text ?? '') ? Number(text) : null;

/** GET /v1/monitors/{id}/feed.atom and feed.json: for feed readers, which have the token of the monitor instead of a key. Errors: 404. */
export function createMonitorFeedHandler(deps: MonitorDeps, kind: 'atom' | 'json'): Handle {
  return async (call) => {
    const { id = '' } = call.params;
    const monitor = await deps.monitors.findByFeedToken(id, call.query.get('token') ?? '');
    if (monitor === null) throw createNotFound();
    const events = await deps.monitors.events(id, { before: null, limit: FEED_EVENTS });
    const selfUrl = buildFeedUrl(deps, call, { id, kind });
    const feed = { monitor, events, selfUrl };
    const type = kind === 'atom' ? 'application/atom+xml' : 'application/feed+json';
    return {
      body: kind === 'atom' ? writeAtomFeed(feed) : writeJsonFeed(feed),
      headers: { 'content-type': `${type}; charset=utf-8`, 'cache-control': 'private, max-age=60' },
    };
  };
}

export const MONITOR_EVENTS_PARAMETERS: Parameter[] = [
  {
    name: 'limit',
    in: 'query',
    about: `Events in the answer, at most ${EVENTS.max}.`,
    schema: z.int().min(1).max(EVENTS.max).default(EVENTS.default),
  },
  {
    name: 'before',
    in: 'query',
    about: 'Only events with a smaller `number`: those before the last answer.',
    schema: z.int().min(1),
  },
];

export const MONITOR_FEED_PARAMETERS: Parameter[] = [
  {
    name: 'token',
    in: 'query',
    required: true,
    about: 'The token in the URLs of the feeds that the monitor names.',
    schema: z.string(),
  },
];

async function findOwn({ monitors }: MonitorDeps, call: Call): Promise<Monitor> {
  const monitor = await monitors.find(resolveOwner(call, 'Monitors').owner, call.params.id ?? '');
  if (monitor === null) throw createNotFound();
  return monitor;
}

const createNotFound = (): Failure =>
  new Failure('not_found', "There is no such monitor: it is unknown, was deleted, or is another caller's.");

function buildFeedUrl(
  { monitors, addressFor }: MonitorDeps,
  call: Pick<Call, 'headers'>,
  { id, kind }: { id: string; kind: 'atom' | 'json' },
): string {
  return `${addressFor(call)}/v1/monitors/${id}/feed.${kind}?token=${monitors.feedTokenOf(id)}`;
}

function toPublicMonitor(deps: MonitorDeps, call: Pick<Call, 'headers'>, monitor: Monitor): JsonObject {
  const { id, order, state, reason, outcome, failures, owner } = monitor;
  const { target, schedule, conditions, channels } = order;
  return {
    id,
    name: order.name,
    ...(target.kind === 'page' ? { url: target.url } : {}),
    ...(target.kind === 'site' ? { site: target.url, pages: target.pagesMax } : {}),
    ...(target.kind === 'feed' ? { feed: target.url } : {}),
    ...(target.kind === 'search' ? { query: target.query, numResults: target.resultsMax } : {}),
    schedule: formatSchedule(schedule),
    ...(schedule.kind === 'cron' ? { timeZone: schedule.timeZone } : {}),
    conditions: conditions.map(toPublicCondition),
    deliver: channels.map(toPublicChannel),
    ...(channels.some(({ kind }) => kind === 'webhook')
      ? { webhookSecret: deps.webhookSecretOf(owner) }
      : {}),
    state,
    reason:
      reason === 'credits' ? 'The key had too few credits; add some and set the state to active.' : null,
    createdAt: toInstant(monitor.createdAt),
    nextCheckAt: state === 'active' ? toInstant(monitor.nextAt) : null,
    checkedAt: monitor.checkedAt === null ? null : toInstant(monitor.checkedAt),
    checks: monitor.checks,
    failures,
    deliveryProblem: monitor.deliveryProblem,
    lastCheck: outcome === null ? null : { ...outcome },
    feeds: {
      atom: buildFeedUrl(deps, call, { id, kind: 'atom' }),
      json: buildFeedUrl(deps, call, { id, kind: 'json' }),
    },
  };
}

const toInstant = (ms: number): string => new Date(ms).toISOString();

function toPublicCondition(condition: Monitor['order']['conditions'][number]): JsonObject {
  if (condition.kind === 'phrase') return { phrase: condition.phrase, becomes: condition.becomes };
  if (condition.kind === 'row') return { row: condition.text };
  if (condition.kind === 'share') return { share: condition.share };
  const { label, above, below } = condition;
  return {
    number: label,
    ...(above === null ? {} : { above }),
    ...(below === null ? {} : { below }),
  };
}

function toPublicChannel(channel: MonitorChannel): JsonObject {
  if (channel.kind === 'email') return { email: channel.to };
  return { [channel.kind]: channel.url };
}
