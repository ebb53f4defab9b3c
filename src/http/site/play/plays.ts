import { RESULTS_DEFAULT } from '../../../contract/limits.ts';
import { DAY_MS, toUtcDay } from '../../../platform/clock.ts';
import { parseDomainFilter } from '../../../text/query/filters.ts';
import type { JsonObject } from '../../calls/call.ts';
import { parseInstant } from '../../calls/instant.ts';

/** The kinds of calls that a person can try on the pages. */
export const PLAYS = ['search', 'answer', 'read', 'ask', 'similar', 'research'] as const;
export type Play = (typeof PLAYS)[number];

/** A request of a person; absent texts are empty. `at`: the instant as of which a page is wanted. */
export type PlayRequest = { play: Play; query: string; url: string; at: string; site: string; since: string };

/** Choices for the maximum age of a page, in days. */
export const SINCE_DAYS: Readonly<Record<string, { name: string; days: number }>> = {
  day: { name: 'the last day', days: 1 },
  week: { name: 'the last week', days: 7 },
  month: { name: 'the last month', days: 31 },
  year: { name: 'the last year', days: 366 },
};

/** A call of the API, as a program would send it. */
export type PlayCall = {
  method: 'GET' | 'POST';
  target: string;
  body: JsonObject | null;
  /** The equivalent tool for agents, and its arguments. */
  tool: { name: string; given: JsonObject };
};

/** Parses the parameters of an address. Anything unknown is left out. */
export function parsePlayRequest(params: URLSearchParams): PlayRequest {
  const readText = (name: string): string => (params.get(name) ?? '').trim();
  const site = readText('site');
  const since = readText('since');
  const at = readText('at');
  const asked = {
    query: readText('q'),
    url: readText('url'),
    at: parseInstant(at) === null ? '' : at,
    site: parseDomainFilter(site) === null ? '' : site,
    since: Object.hasOwn(SINCE_DAYS, since) ? since : '',
  };
  return { play: PLAYS.find((name) => name === readText('do')) ?? 'search', ...asked };
}

/** Builds the address for a request; `parsePlayRequest` parses its parameters. */
export function buildPlayLink(path: '/' | '/read', asked: Partial<PlayRequest>): string {
  const { play = 'search', query = '', url = '', at = '', site = '', since = '' } = asked;
  const params = { do: path === '/read' || play === 'search' ? '' : play, url, q: query, at, site, since };
  const given = Object.entries(params).filter(([, value]) => value !== '');
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`;
}

/** Returns true if the text that the kind of call needs is given. */
export function hasInput({ play, query, url }: PlayRequest): boolean {
  return play === 'search' || play === 'answer' || play === 'research' ? query !== '' : url !== '';
}

/** Builds the call for a request. `now` is in milliseconds since the epoch. */
export function buildPlayCall(asked: PlayRequest, now: number): PlayCall {
  const { play, query, url, at } = asked;
  switch (play) {
    case 'search':
      return buildPostCall(
        '/v1/search',
        { query, ...buildSearchOptions(asked, now) },
        { name: 'search', given: { query } },
      );
    case 'answer':
      return buildPostCall('/v1/answer', { query }, { name: 'answer', given: { q: query } });
    case 'similar':
      return buildPostCall(
        '/v1/findSimilar',
        { url, ...buildSearchOptions(asked, now) },
        { name: 'find_similar', given: { url } },
      );
    case 'research':
      return buildPostCall(
        '/v1/research',
        { question: query },
        { name: 'deep_research', given: { question: query } },
      );
    case 'read':
    case 'ask':
      return buildReadCall(url, { question: query, at });
  }
}

/** Matches an address that can follow `/r/` without encoding. */
const PLAIN_ADDRESS = /^https?:\/\/[\w./~-]+$/;

function buildReadCall(url: string, { question, at }: { question: string; at: string }): PlayCall {
  // Encoding the whole address keeps its own query apart from ours.
  const address = PLAIN_ADDRESS.test(url) ? url : encodeURIComponent(url.toWellFormed());
  const params = Object.entries({ at, q: question }).filter(([, value]) => value !== '');
  const behind = params
    .map(([name, value]) => `${name}=${encodeURIComponent(value.toWellFormed())}`)
    .join('&');
  return {
    method: 'GET',
    target: `/r/${address}${behind === '' ? '' : `?${behind}`}`,
    body: null,
    tool: { name: 'read', given: { url, ...(question === '' ? {} : { question }) } },
  };
}

function buildPostCall(target: string, body: JsonObject, tool: PlayCall['tool']): PlayCall {
  return { method: 'POST', target, body, tool };
}

function buildSearchOptions({ site, since }: PlayRequest, now: number): JsonObject {
  const days = SINCE_DAYS[since]?.days;
  return {
    numResults: RESULTS_DEFAULT,
    ...(site === '' ? {} : { includeDomains: [site] }),
    ...(days === undefined ? {} : { startPublishedDate: toUtcDay(now - days * DAY_MS) }),
    contents: { highlights: { highlightsPerUrl: 1 } },
  };
}
