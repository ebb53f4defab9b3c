import { escapeXml } from '../../text/xml/escape-xml.ts';
import type { Monitor, MonitorEvent } from '../monitor-types.ts';
import { summarizeEvent } from './format-event.ts';

type FeedPlace = { monitor: Monitor; events: readonly MonitorEvent[]; selfUrl: string };

/** Returns the title of a monitor: its name, or what it watches. */
function titleMonitor({ order }: Pick<Monitor, 'order'>): string {
  const { name, target } = order;
  return name ?? (target.kind === 'search' ? target.query : target.url);
}

/** Writes the events of a monitor, newest first, as an Atom feed (RFC 4287). */
export function writeAtomFeed({ monitor, events, selfUrl }: FeedPlace): string {
  const updated = new Date(events[0]?.at ?? monitor.createdAt).toISOString();
  const entries = events.map((event) =>
    [
      '  <entry>',
      `    <id>urn:sanderling:${escapeXml(event.id)}</id>`,
      `    <title>${escapeXml(summarizeEvent(monitor, event))}</title>`,
      `    <updated>${new Date(event.at).toISOString()}</updated>`,
      ...(event.url === null ? [] : [`    <link rel="alternate" href="${escapeXml(event.url)}"/>`]),
      `    <content type="text">${escapeXml(event.markdown)}</content>`,
      '  </entry>',
    ].join('\n'),
  );
  return [
    '<?xml version="1.0" encoding="utf-8"?>',
    '<feed xmlns="http://www.w3.org/2005/Atom">',
    `  <id>urn:sanderling:${escapeXml(monitor.id)}</id>`,
    `  <title>${escapeXml(titleMonitor(monitor))}</title>`,
    `  <updated>${updated}</updated>`,
    '  <author><name>Sanderling</name></author>',
    `  <link rel="self" type="application/atom+xml" href="${escapeXml(selfUrl)}"/>`,
    ...entries,
    '</feed>',
    '',
  ].join('\n');
}

/** Writes the events of a monitor as a JSON Feed, version 1.1 (https://www.jsonfeed.org/version/1.1/). */
export function writeJsonFeed({ monitor, events, selfUrl }: FeedPlace): string {
  return JSON.stringify({
    version: 'https://jsonfeed.org/version/1.1',
    title: titleMonitor(monitor),
    feed_url: selfUrl,
    items: events.map((event) => ({
      id: event.id,
      ...(event.url === null ? {} : { url: event.url }),
      title: summarizeEvent(monitor, event),
      content_text: event.markdown === '' ? summarizeEvent(monitor, event) : event.markdown,
      date_published: new Date(event.at).toISOString(),
    })),
  });
}
