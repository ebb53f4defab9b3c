import type { SourceReading } from '../../../recall/upstream/upstream-types.ts';
import { type Html, html } from '../html.ts';

/** The sources that searches on this server reach. */
type Reach = { hasIndex: boolean; web: SourceReading[]; fields: SourceReading[] };

export function computeReach(readings: readonly SourceReading[]): Reach {
  const on = readings.filter(({ state }) => state === 'on');
  return {
    hasIndex: on.some(({ scope }) => scope === 'index'),
    web: on.filter(({ scope }) => scope === 'web'),
    fields: on.filter(({ scope }) => scope === 'field'),
  };
}

/** Describes the reach in one sentence. It mentions the whole web only where a source covers it. */
export function describeReach({ hasIndex, web, fields }: Reach): string {
  const parts = [
    ...(web.length > 0 ? [`the whole web through ${formatList(web.map(({ name }) => name))}`] : []),
    ...(hasIndex ? ['the pages that this server has read, crawled or imported'] : []),
    ...(fields.length > 0 ? [`${formatList(fields.map(({ name }) => name))}`] : []),
  ];
  if (parts.length === 0) return 'No source is on, so searches find nothing; pages can be read.';
  return `Searches ${formatList(parts)}.${web.length > 0 ? '' : ' No source for the whole web is on.'}`;
}

/** Renders the sources that are on, each with a description of its content. */
export function renderReach({ hasIndex, web, fields }: Reach): Html {
  const lines = [
    ...(hasIndex ? [{ name: 'index', about: 'pages that this server has read, crawled or imported' }] : []),
    ...web,
    ...fields,
  ];
  return html`<dl class="reach">${lines.map(({ name, about }) => html`<div><dt>${name}</dt><dd>${about}</dd></div>`)}</dl>`;
}

function formatList(parts: readonly string[]): string {
  return new Intl.ListFormat('en', { type: 'conjunction' }).format(parts);
}
