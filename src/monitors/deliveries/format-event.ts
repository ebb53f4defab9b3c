import type { Monitor, MonitorChannel, MonitorEvent } from '../monitor-types.ts';

/** Characters that chat services accept in one message. */
const SLACK_CHARS_MAX = 3_000;
const DISCORD_CHARS_MAX = 2_000;
const SUBJECT_CHARS_MAX = 150;

/** Describes an event in one line. */
export function summarizeEvent({ order }: Pick<Monitor, 'order'>, event: MonitorEvent): string {
  const { kind, title, url, conditions, changesTotal } = event;
  const name = order.name ?? title;
  if (conditions.length > 0) return `${name}: ${conditions.join('; ')}`;
  if (kind === 'unreachable') return `${name} cannot be read: ${event.markdown}`;
  if (kind === 'back') return `${name} can be read again`;
  if (kind === 'added') return `${name}: new: ${title === '' ? url : title}`;
  if (kind === 'removed') return `${name}: gone: ${url}`;
  return changesTotal === 0
    ? `${name}: ${title} changed`
    : `${name} changed in ${changesTotal} ${changesTotal === 1 ? 'place' : 'places'}`;
}

/** Writes an event as the body that a channel expects: the whole event for webhooks, a message for Slack and Discord. */
export function formatEventBody(
  kind: Exclude<MonitorChannel['kind'], 'email'>,
  monitor: Monitor,
  event: MonitorEvent,
): string {
  if (kind === 'webhook')
    return JSON.stringify({
      type: `monitor.${event.kind}`,
      timestamp: new Date(event.at).toISOString(),
      data: toPublicEvent(monitor, event),
    });
  const text = `${summarizeEvent(monitor, event)}\n${event.url ?? ''}\n\n${event.markdown}`.trim();
  // `text` and `content` are the fields of the two services' incoming webhooks.
  return kind === 'slack'
    ? JSON.stringify({ text: shorten(escapeForSlack(text), SLACK_CHARS_MAX) })
    : JSON.stringify({ content: shorten(text, DISCORD_CHARS_MAX), allowed_mentions: { parse: [] } });
}

/** Slack reads <, > and & as marks of links and mentions: https://api.slack.com/reference/surfaces/formatting#escaping. */
const escapeForSlack = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const shorten = (text: string, charsMax: number): string =>
  text.length <= charsMax ? text : `${text.slice(0, charsMax - 2)} …`;

/** Writes an event as an email. */
export function formatEventAsText(monitor: Monitor, event: MonitorEvent): { subject: string; text: string } {
  const summary = summarizeEvent(monitor, event);
  const subject = shorten(summary.replace(/\s+/g, ' '), SUBJECT_CHARS_MAX);
  return {
    subject,
    text: [summary, event.url ?? '', event.markdown].filter((part) => part !== '').join('\n\n'),
  };
}

/** Returns an event as owners get it, by the API and by webhooks. */
export function toPublicEvent(monitor: Pick<Monitor, 'order'>, event: MonitorEvent) {
  const { id, monitorId, number, at, kind, url, title, markdown, conditions, changesTotal } = event;
  return {
    id,
    monitorId,
    number,
    at: new Date(at).toISOString(),
    kind,
    url,
    title,
    summary: summarizeEvent(monitor, event),
    conditions,
    markdown,
    changes: event.changes.map(({ kind: change, headingPath, before, after }) => ({
      kind: change,
      headingPath,
      before,
      after,
    })),
    changesTotal,
    changedShare: event.changedShare,
  };
}
