import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import {
  bodyOfBytes,
  bodyOfWrongTypes,
  bodyWith,
  HOSTILE_URLS,
  recordedBody,
  UPSTREAM_NAMES,
  type UpstreamItem,
  type UpstreamName,
} from './upstream/bodies.ts';
import { startWeb } from './web.ts';

/** What an upstream source can be like. `recorded` answers as recorded, `ok` with the scripted items. */
export const UPSTREAM_MODES = [
  'recorded',
  'ok',
  'empty',
  'slow',
  '401',
  '403',
  '429',
  '500',
  'captcha',
  'html',
  'nothing',
  'garbage',
  'truncated',
  'wrong-types',
  'hostile',
  '10mb',
  'down',
  'hang',
] as const;
export type UpstreamMode = (typeof UPSTREAM_MODES)[number];

export type UpstreamPlay = {
  mode: UpstreamMode;
  /** For `ok` and `slow`: fixed, or made from the address that was asked for. */
  items?: readonly UpstreamItem[] | ((asked: URL) => readonly UpstreamItem[]);
  /** Every answer waits so long; `slow` 600 ms unless told. */
  delayMs?: number;
};

export type Upstream = {
  readonly port: number;
  readonly origin: string;
  /** What to write into the source's base-address setting. */
  baseUrl(name: UpstreamName): string;
  /** How the source behaves from now on; `recorded` before it is told. */
  play(name: UpstreamName, play: UpstreamPlay): void;
  /** The requests that came for the source, oldest first. */
  asked(name: UpstreamName): { url: URL; headers: IncomingMessage['headers'] }[];
  close(): Promise<void>;
};

/** What a source answers with, as text: for tests that need no socket. */
export type UpstreamAnswer = { status: number; headers: Record<string, string>; body: string };

const SLOW_MS = 600;
const BIG_BYTES = 11_534_336;
const CAPTCHA = `<!doctype html><title>Just a moment...</title><form id="challenge-form" action="/captcha">
<p>Please verify you are a human to continue.</p><div class="g-recaptcha"></div></form>`;
const PAGE = '<!doctype html><html><title>Welcome</title><p>This is the home page of the service.</p></html>';
const GARBAGE = '\u0000\u0007{"a":]]}\ufffd<<<%%% \u0012 \u{1F980}'.repeat(50);
const ITEM: UpstreamItem = {
  url: 'https://good.example.org/page',
  title: 'A good page',
  snippet: 'Good words.',
  publishedDay: null,
};

/** The modes that answer at all. */
export type AnsweringMode = Exclude<UpstreamMode, 'down' | 'hang'>;

/** Pure: what a source in this mode answers with. */
export function upstreamAnswer(
  name: UpstreamName,
  mode: AnsweringMode,
  items: readonly UpstreamItem[] = [],
): UpstreamAnswer {
  const type = name === 'arxiv' ? 'application/atom+xml; charset=UTF-8' : 'application/json; charset=utf-8';
  const html = { 'content-type': 'text/html; charset=utf-8' };
  const data = (body: string): UpstreamAnswer => ({ status: 200, headers: { 'content-type': type }, body });
  switch (mode) {
    case 'recorded':
      return data(recordedBody(name));
    case 'ok':
    case 'slow':
      return data(bodyWith(name, items));
    case 'empty':
      return data(bodyWith(name, []));
    case '401':
    case '403':
    case '500':
      return { status: Number(mode), headers: { 'content-type': type }, body: '{"error":"no"}' };
    case '429':
      return {
        status: 429,
        headers: { 'content-type': type, 'retry-after': '7' },
        body: '{"error":"slow down"}',
      };
    case 'captcha':
      return { status: 200, headers: html, body: CAPTCHA };
    case 'html':
      return { status: 200, headers: html, body: PAGE };
    case 'nothing':
      return data('');
    case 'garbage':
      return data(GARBAGE);
    case 'truncated': {
      const body = recordedBody(name);
      return data(body.slice(0, Math.floor(body.length * 0.6)));
    }
    case 'wrong-types':
      return data(bodyOfWrongTypes(name));
    case 'hostile':
      return data(bodyWith(name, [...HOSTILE_URLS.map((url) => ({ ...ITEM, url })), ITEM]));
    case '10mb':
      return data(bodyOfBytes(name, BIG_BYTES));
  }
}

/** One loopback server that plays every source, each under a path of its own name. */
export async function startUpstream(options: { address?: string; port?: number } = {}): Promise<Upstream> {
  const plays = new Map<UpstreamName, UpstreamPlay>();
  const asked = new Map<UpstreamName, { url: URL; headers: IncomingMessage['headers'] }[]>();
  const closing = new AbortController();
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(request.url ?? '/', 'http://upstream');
    const name = UPSTREAM_NAMES.find((known) => known === url.pathname.split('/')[1]);
    if (name === undefined) {
      response.writeHead(404).end();
      return;
    }
    asked.set(name, [...(asked.get(name) ?? []), { url, headers: request.headers }]);
    await perform(response, {
      name,
      url,
      play: plays.get(name) ?? { mode: 'recorded' },
      closing: closing.signal,
    });
  };
  const web = await startWeb({ ...options, routes: {}, fallback: answer });
  return {
    port: web.port,
    origin: web.origin,
    baseUrl: (name) => `${web.origin}/${name}`,
    play: (name, play) => plays.set(name, play),
    asked: (name) => asked.get(name) ?? [],
    close: async () => {
      closing.abort();
      await web.close();
    },
  };
}

type Performance = { name: UpstreamName; url: URL; play: UpstreamPlay; closing: AbortSignal };

async function perform(response: ServerResponse, { name, url, play, closing }: Performance): Promise<void> {
  const { mode, items = [ITEM], delayMs = mode === 'slow' ? SLOW_MS : 0 } = play;
  if (delayMs > 0) await wait(delayMs, undefined, { signal: closing }).catch(() => {});
  if (mode === 'hang') return;
  if (mode === 'down') {
    response.destroy();
    return;
  }
  const { status, headers, body } = upstreamAnswer(
    name,
    mode,
    typeof items === 'function' ? items(url) : items,
  );
  response.writeHead(status, headers).end(body);
}
