/**
 * `sanderling watch`: sets up monitors on a running server, lists them and prints their events. The server checks them, so it has to run; this
 * command only speaks to its API.
 */
import { styleText } from 'node:util';
import * as z from 'zod';
import type { Config } from '../../app/config.ts';
import { type ApiServer, callServer } from '../call-server.ts';

type AddOptions = {
  site?: boolean;
  feed?: boolean;
  every?: string;
  appears?: string;
  disappears?: string;
  webhook?: string;
};

const MonitorResponse = z.looseObject({
  id: z.string(),
  name: z.string().nullable(),
  url: z.string().optional(),
  site: z.string().optional(),
  feed: z.string().optional(),
  query: z.string().optional(),
  schedule: z.string(),
  state: z.string(),
  reason: z.string().nullable(),
  nextCheckAt: z.string().nullable(),
  checkedAt: z.string().nullable(),
  lastCheck: z.looseObject({ error: z.string().nullable() }).nullable(),
  feeds: z.looseObject({ atom: z.string() }),
});
type MonitorResponse = z.output<typeof MonitorResponse>;

/** Each resolves to the exit code, 0 if the server did what was asked. */
export async function addMonitor(
  config: Config,
  server: ApiServer,
  what: string,
  { site, feed, every, appears, disappears, webhook }: AddOptions,
): Promise<number> {
  const isUrl = /^[a-z][a-z0-9+.-]*:\/\//i.test(what) || /^[^\s/.]+(?:\.[^\s/.]+)+(?:\/\S*)?$/.test(what);
  const target = site ? { site: what } : feed ? { feed: what } : isUrl ? { url: what } : { query: what };
  const conditions = [
    ...(appears === undefined ? [] : [{ phrase: appears, becomes: 'present' }]),
    ...(disappears === undefined ? [] : [{ phrase: disappears, becomes: 'absent' }]),
  ];
  const { monitor } = await callServer(config, server, {
    path: '/v1/monitors',
    body: {
      ...target,
      schedule: every,
      conditions,
      ...(webhook === undefined ? {} : { deliver: [{ webhook }] }),
    },
    answer: z.looseObject({ monitor: MonitorResponse }),
  });
  process.stdout.write(`${formatMonitor(monitor)}\n`);
  process.stdout.write(`\nIts feed: ${styleText('cyan', monitor.feeds.atom)}\n`);
  process.stdout.write(`What it saw: sanderling watch events ${monitor.id}\n`);
  return 0;
}

export async function listMonitors(config: Config, server: ApiServer): Promise<number> {
  const { monitors } = await callServer(config, server, {
    path: '/v1/monitors',
    answer: z.looseObject({ monitors: z.array(MonitorResponse) }),
  });
  const lines =
    monitors.length === 0 ? ['Nothing is watched: sanderling watch <url>'] : monitors.map(formatMonitor);
  process.stdout.write(`${lines.join('\n')}\n`);
  return 0;
}

export async function printEvents(config: Config, server: ApiServer, id: string): Promise<number> {
  const { events } = await callServer(config, server, {
    path: `/v1/monitors/${encodeURIComponent(id)}/events`,
    answer: z.looseObject({
      events: z.array(
        z.looseObject({
          at: z.string(),
          summary: z.string(),
          url: z.string().nullable(),
          markdown: z.string(),
        }),
      ),
    }),
  });
  const texts = events.map(({ at, summary, url, markdown }) =>
    [
      `${styleText('dim', at)} ${styleText('bold', summary)}`,
      ...(url === null ? [] : [styleText('cyan', url)]),
      ...(markdown === '' ? [] : ['', markdown]),
      '',
    ].join('\n'),
  );
  process.stdout.write(texts.length === 0 ? 'Nothing has changed yet.\n' : texts.join('\n'));
  return 0;
}

export async function setState(
  config: Config,
  server: ApiServer,
  id: string,
  state: 'active' | 'paused',
): Promise<number> {
  const { monitor } = await callServer(config, server, {
    path: `/v1/monitors/${encodeURIComponent(id)}`,
    body: { state },
    answer: z.looseObject({ monitor: MonitorResponse }),
  });
  process.stdout.write(`${formatMonitor(monitor)}\n`);
  return 0;
}

function formatMonitor(monitor: MonitorResponse): string {
  const { id, name, url, site, feed, query, schedule, state, reason, nextCheckAt, checkedAt, lastCheck } =
    monitor;
  const what = name ?? url ?? site ?? feed ?? `search: ${query}`;
  const when = state === 'paused' ? (reason ?? 'paused') : `next check ${nextCheckAt}`;
  const problem = lastCheck?.error == null ? '' : `\n  ${styleText('yellow', lastCheck.error)}`;
  return `${styleText('bold', id)}  ${what}\n  ${schedule}, ${when}${checkedAt === null ? '' : `, last ${checkedAt}`}${problem}`;
}
