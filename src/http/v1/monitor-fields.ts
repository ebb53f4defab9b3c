import * as z from 'zod';
import { MONITORS, QUERY_CHARS_MAX } from '../../contract/limits.ts';
import type { MonitorChannel, MonitorCondition, MonitorOrder } from '../../monitors/monitor-types.ts';
import { formatSchedule, parseSchedule } from '../../monitors/schedule.ts';
import type { CheckUrl } from '../../platform/net/fetch-types.ts';
import type { JsonObject } from '../calls/call.ts';
import { createWholeNumberSchema } from '../calls/field-schemas.ts';
import { addScheme, createValidationFailure, parseBody } from '../calls/json-body.ts';
import { findHeadersProblem } from '../calls/webhook-headers.ts';
import { address } from './contents.ts';

const phrase = z
  .string('must be a string')
  .trim()
  .min(1, 'must not be empty')
  .max(MONITORS.phraseCharsMax, `must have at most ${MONITORS.phraseCharsMax} characters`);
const bound = z.number('must be a number').optional();

const condition = z
  .object({
    phrase: phrase.optional().meta({ description: 'A phrase that appears or disappears.' }),
    becomes: z
      .enum(['present', 'absent'], 'must be present or absent')
      .default('present')
      .meta({ description: 'Which of the two the phrase must do.' }),
    number: phrase.optional().meta({ description: 'A label; the first number after it crosses a bound.' }),
    above: bound.meta({ description: 'The number rises above this.' }),
    below: bound.meta({ description: 'The number falls below this.' }),
    row: phrase.optional().meta({ description: 'A row of a table that contains this text changes.' }),
    share: z
      .number('must be a number')
      .min(0, 'must be from 0 to 1')
      .max(1, 'must be from 0 to 1')
      .optional()
      .meta({ description: 'At least this share of the text changes, from 0 to 1.' }),
  })
  .transform((given, context): MonitorCondition => {
    const { phrase: text, becomes, number, above = null, below = null, row, share } = given;
    const found: MonitorCondition[] = [
      ...(text === undefined ? [] : [{ kind: 'phrase' as const, phrase: text, becomes }]),
      ...(number === undefined ? [] : [{ kind: 'number' as const, label: number, above, below }]),
      ...(row === undefined ? [] : [{ kind: 'row' as const, text: row }]),
      ...(share === undefined ? [] : [{ kind: 'share' as const, share }]),
    ];
    const [first] = found;
    if (first === undefined || found.length > 1) {
      context.addIssue({ code: 'custom', message: 'must have one of phrase, number, row and share' });
      return { kind: 'share', share: 0 };
    }
    if (first.kind === 'number' && above === null && below === null)
      context.addIssue({ code: 'custom', message: 'must have above or below beside number' });
    return first;
  });

const channel = z
  .object({
    webhook: address
      .optional()
      .meta({ description: 'Gets the whole event, signed as Standard Webhooks say.' }),
    headers: z
      .record(z.string(), z.string('must be strings'), 'must be an object of strings')
      .default({})
      .meta({ description: 'Further headers of the webhook.' }),
    slack: address.optional().meta({ description: 'An incoming webhook of Slack; gets a message.' }),
    discord: address.optional().meta({ description: 'A webhook of Discord; gets a message.' }),
    email: z
      .string('must be an email address')
      .regex(/^[^@\s]{1,64}@[^@\s]{1,189}$/, 'must be an email address')
      .optional()
      .meta({ description: 'Where the operator of the server has set one up for email.' }),
  })
  .transform((given, context): MonitorChannel => {
    const { webhook, headers, slack, discord, email } = given;
    const found: MonitorChannel[] = [
      ...(webhook === undefined ? [] : [{ kind: 'webhook' as const, url: addScheme(webhook), headers }]),
      ...(slack === undefined ? [] : [{ kind: 'slack' as const, url: addScheme(slack) }]),
      ...(discord === undefined ? [] : [{ kind: 'discord' as const, url: addScheme(discord) }]),
      ...(email === undefined ? [] : [{ kind: 'email' as const, to: email }]),
    ];
    const [first] = found;
    if (first !== undefined && found.length === 1) return first;
    context.addIssue({ code: 'custom', message: 'must have one of webhook, slack, discord and email' });
    return { kind: 'email', to: '' };
  });

/** POST /v1/monitors, and the fields that POST /v1/monitors/{id} changes. */
export const MonitorBody = z.object({
  url: address.optional().meta({ description: 'A page whose text is watched.' }),
  site: address.optional().meta({ description: 'A site: new, changed and removed pages.' }),
  feed: address.optional().meta({ description: 'A feed (RSS, Atom or JSON): new entries.' }),
  query: z
    .string('must be a string')
    .trim()
    .min(1, 'must not be empty')
    .max(QUERY_CHARS_MAX, `must have at most ${QUERY_CHARS_MAX.toLocaleString('en')} characters`)
    .optional()
    .meta({ description: 'A search: results that it did not have before.' }),
  name: phrase.optional().meta({ description: 'How you call it in messages.' }),
  pages: createWholeNumberSchema(1)
    .transform((wanted) => Math.min(wanted, MONITORS.sitePages.max))
    .default(MONITORS.sitePages.default)
    .meta({ description: `Pages of the site, at most ${MONITORS.sitePages.max}.` }),
  numResults: createWholeNumberSchema(1)
    .transform((wanted) => Math.min(wanted, MONITORS.results.max))
    .default(MONITORS.results.default)
    .meta({ description: `Results of the search, at most ${MONITORS.results.max}.` }),
  schedule: z
    .string('must be a string')
    .trim()
    .max(100, 'must have at most 100 characters')
    .default('adaptive')
    .meta({
      description:
        'How often it is looked at: an interval such as `15m`, `2h` or `1d`, five cron words, or `adaptive`: as often as it changes.',
      examples: ['adaptive', '2h', '0 9 * * 1-5'],
    }),
  timeZone: z
    .string('must be a string')
    .max(60, 'must have at most 60 characters')
    .default('UTC')
    .meta({ description: 'The time zone of cron words, such as Europe/Vienna.' }),
  conditions: z
    .array(condition, 'must be an array')
    .max(MONITORS.conditionsMax, `must have at most ${MONITORS.conditionsMax} conditions`)
    .default([])
    .meta({
      description:
        'An event is made if one of them holds; without any, whenever something changes that is not noise. Of sites, feeds and searches only phrases count, in titles and URLs.',
    }),
  deliver: z
    .array(channel, 'must be an array')
    .max(MONITORS.channelsMax, `must have at most ${MONITORS.channelsMax} channels`)
    .default([])
    .meta({ description: 'Where events are sent. Without any, read them here or in the feeds.' }),
});

export const ChangedMonitorBody = z.object({
  ...MonitorBody.partial().omit({ url: true, site: true, feed: true, query: true }).shape,
  state: z
    .enum(['active', 'paused'], 'must be active or paused')
    .optional()
    .meta({ description: '`paused` stops the checks, `active` goes on and checks at once.' }),
  check: z.boolean('must be true or false').optional().meta({ description: 'true: it is checked now.' }),
});

/** What decides whether addresses and recipients may be used. */
export type MonitorRules = {
  checkUrl: CheckUrl;
  /** Throws `Failure('url_not_allowed')` for a URL that no webhook may be sent to. */
  checkWebhookUrl: CheckUrl;
  /** Decides whether a recipient may get emails; null: the operator has set no server for email. */
  mayEmail: ((to: string) => boolean) | null;
};

/** Reads the order of a new monitor. Throws `Failure('validation_error' | 'url_not_allowed')`. */
export function readMonitorOrder(
  body: JsonObject,
  rules: MonitorRules,
  { now, keep }: { now: number; keep: boolean },
): MonitorOrder {
  const fields = parseBody(MonitorBody, body, { verbatim: new Set(['headers']) });
  const { url, site, feed, query, name = null, pages, numResults } = fields;
  const targets = [
    ...(url === undefined ? [] : [{ kind: 'page' as const, url: checkTarget(rules, url) }]),
    ...(site === undefined
      ? []
      : [{ kind: 'site' as const, url: checkTarget(rules, site), pagesMax: pages }]),
    ...(feed === undefined ? [] : [{ kind: 'feed' as const, url: checkTarget(rules, feed) }]),
    ...(query === undefined ? [] : [{ kind: 'search' as const, query, resultsMax: numResults }]),
  ];
  const [target] = targets;
  if (target === undefined || targets.length > 1)
    throw createValidationFailure([
      { field: 'body', message: 'must have exactly one of url, site, feed and query' },
    ]);
  assertChannels(fields.deliver, rules);
  const { conditions, deliver: channels } = fields;
  return { name, target, schedule: readSchedule(fields, now), conditions, channels, keep };
}

/** Reads the changes of a monitor; fields that are absent stay as they are. */
export function readMonitorChange(
  body: JsonObject,
  before: MonitorOrder,
  rules: MonitorRules,
  now: number,
): { order?: MonitorOrder; state?: 'active' | 'paused'; checksNow?: boolean } {
  const given = parseBody(ChangedMonitorBody, body, { verbatim: new Set(['headers']) });
  const isGiven = (field: string): boolean =>
    Object.keys(body).some(
      (name) => name === field || name.replace(/_(.)/g, (_, sign) => sign.toUpperCase()) === field,
    );
  const order: MonitorOrder = { ...before };
  const { name, conditions, deliver } = given;
  if (isGiven('name') && name !== undefined) order.name = name;
  if (isGiven('conditions') && conditions !== undefined) order.conditions = conditions;
  if (isGiven('deliver') && deliver !== undefined) {
    assertChannels(deliver, rules);
    order.channels = deliver;
  }
  if (isGiven('schedule') || isGiven('timeZone')) {
    const timeZone = before.schedule.kind === 'cron' ? before.schedule.timeZone : 'UTC';
    order.schedule = readSchedule(
      {
        schedule: isGiven('schedule') ? (given.schedule ?? 'adaptive') : formatSchedule(before.schedule),
        timeZone: isGiven('timeZone') ? (given.timeZone ?? 'UTC') : timeZone,
      },
      now,
    );
  }
  const { target } = order;
  if (isGiven('pages') && target.kind === 'site' && given.pages !== undefined)
    order.target = { kind: 'site', url: target.url, pagesMax: given.pages };
  if (isGiven('numResults') && target.kind === 'search' && given.numResults !== undefined)
    order.target = { kind: 'search', query: target.query, resultsMax: given.numResults };
  const hasOrder = JSON.stringify(order) !== JSON.stringify(before);
  return {
    ...(hasOrder ? { order } : {}),
    ...(given.state === undefined ? {} : { state: given.state }),
    ...(given.check === true ? { checksNow: true } : {}),
  };
}

const checkTarget = ({ checkUrl }: MonitorRules, url: string): string => {
  const checked = checkUrl(addScheme(url));
  checked.hash = '';
  return checked.href;
};

function readSchedule(
  { schedule, timeZone }: { schedule: string; timeZone: string },
  now: number,
): MonitorOrder['schedule'] {
  if (!isTimeZone(timeZone))
    throw createValidationFailure([
      { field: 'timeZone', message: 'must be a time zone such as UTC or Europe/Vienna' },
    ]);
  const read = parseSchedule(schedule, { timeZone, now });
  if (typeof read === 'string') throw createValidationFailure([{ field: 'schedule', message: read }]);
  return read;
}

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

function assertChannels(
  channels: readonly MonitorChannel[],
  { checkWebhookUrl, mayEmail }: MonitorRules,
): void {
  for (const [place, one] of channels.entries()) {
    const refuse = (field: string, message: string): never => {
      throw createValidationFailure([{ field: `deliver[${place}].${field}`, message }]);
    };
    if (one.kind === 'email') {
      if (mayEmail === null) refuse('email', 'needs SMTP_URL, which the operator of this server has not set');
      else if (!mayEmail(one.to)) refuse('email', 'is not among the recipients that the operator allows');
      continue;
    }
    checkWebhookUrl(one.url);
    if (one.kind !== 'webhook') continue;
    const problem = findHeadersProblem(one.headers);
    if (problem !== null) refuse('webhook', problem);
    one.headers = Object.fromEntries(
      Object.entries(one.headers).map(([name, value]) => [name.toLowerCase(), value]),
    );
  }
}
