import { evenEscapes } from '../../text/urls/url-spelling.ts';

/**
 * robots.txt by RFC 9309; where the RFC leaves room, like Google's parser (misspelt "disalow", a missing colon), with the two
 * widespread extensions Crawl-delay and Sitemap.
 */
type Robots = { groups: RobotsGroup[]; sitemaps: string[] };

type RobotsGroup = { agents: string[]; rules: RobotsRule[]; crawlDelayMs: number | null };

/** `pattern` is kept as written, non-ASCII percent-encoded; `*` matches anything, a final `$` the end of the path. */
type RobotsRule = { allow: boolean; pattern: string };

/** The rules for one crawler: from all groups that name it, or from those for every crawler. */
export type RobotsRules = { rules: RobotsRule[]; crawlDelayMs: number | null };

/** RFC 9309 asks for at least 500 KiB; the rest is not read. */
const ROBOTS_CHARS_MAX = 512_000;
const LINE_CHARS_MAX = 16_664;
const RULES_MAX = 20_000;
const SITEMAPS_MAX = 1_000;

/** The rules of a host without a robots.txt. */
export const EVERYTHING_ALLOWED: RobotsRules = { rules: [], crawlDelayMs: null };

/** Text of a robots.txt -> its groups. Never throws; ignores lines that are not rules. */
export function parseRobots(text: string): Robots {
  const robots: Robots = { groups: [], sitemaps: [] };
  let group: RobotsGroup | null = null;
  let naming = false;
  let rules = 0;
  for (const line of text
    .slice(0, ROBOTS_CHARS_MAX)
    .replace(/^\uFEFF/, '')
    .split(/\r\n|\r|\n/)) {
    const field = parseLine(line);
    if (field === null) continue;
    if (field.key === 'sitemap') {
      if (robots.sitemaps.length < SITEMAPS_MAX && field.value !== '') robots.sitemaps.push(field.value);
    } else if (field.key === 'user-agent') {
      if (group === null || !naming) {
        group = { agents: [], rules: [], crawlDelayMs: null };
        robots.groups.push(group);
      }
      naming = true;
      group.agents.push(productToken(field.value));
    } else if (group !== null && field.key === 'crawl-delay') {
      naming = false;
      group.crawlDelayMs ??= parseDelay(field.value);
    } else if (group !== null && (field.key === 'allow' || field.key === 'disallow')) {
      naming = false;
      if (field.value === '' || rules >= RULES_MAX) continue;
      rules += 1;
      group.rules.push({ allow: field.key === 'allow', pattern: asciiPattern(field.value) });
    }
  }
  return robots;
}

/** The rules for a crawler by its product token (`Sanderling` of `Sanderling/1.0 (...)`), compared without case. */
export function rulesFor(robots: Robots, agent: string): RobotsRules {
  const token = productToken(agent);
  const named = token === '' ? [] : robots.groups.filter(({ agents }) => agents.includes(token));
  const groups = named.length > 0 ? named : robots.groups.filter(({ agents }) => agents.includes('*'));
  const delays = groups.map(({ crawlDelayMs }) => crawlDelayMs).filter((delay) => delay !== null);
  return {
    rules: groups.flatMap(({ rules }) => rules),
    crawlDelayMs: delays.length === 0 ? null : Math.max(...delays),
  };
}

/**
 * Whether the rules allow fetching the URL: the longest matching pattern decides, Allow wins a tie (RFC 9309, 2.2.2).
 * Both the address as written and the one with needless percent-encoding undone must pass, because sites and parsers differ
 * on which of the two is compared.
 */
export function isAllowed({ rules }: RobotsRules, url: string): boolean {
  if (rules.length === 0) return true;
  const path = pathOf(url);
  if (path === '/robots.txt') return true;
  if (!allows(rules, path)) return false;
  if (!path.includes('%') && !rules.some(({ pattern }) => pattern.includes('%'))) return true;
  return allows(
    rules.map(({ allow, pattern }) => ({ allow, pattern: plainEscapes(pattern) })),
    plainEscapes(path),
  );
}

function allows(rules: RobotsRule[], path: string): boolean {
  let longest = -1;
  let allowed = true;
  for (const { allow, pattern } of rules) {
    if (pattern.length < longest || (pattern.length === longest && !allow)) continue;
    if (!matches(path, pattern)) continue;
    longest = pattern.length;
    allowed = allow;
  }
  return allowed;
}

type Field = { key: 'user-agent' | 'allow' | 'disallow' | 'sitemap' | 'crawl-delay'; value: string };

const KEYS: [RegExp, Field['key']][] = [
  [/^user[- ]?agent$/i, 'user-agent'],
  [/^allow$/i, 'allow'],
  [/^(?:disallow|dissallow|dissalow|disalow|diasllow|disallaw)$/i, 'disallow'],
  [/^site-?map$/i, 'sitemap'],
  [/^crawl-?delay$/i, 'crawl-delay'],
];

function parseLine(line: string): Field | null {
  const content = line.slice(0, LINE_CHARS_MAX).replace(/#.*$/s, '').trim();
  if (content === '') return null;
  const colon = content.indexOf(':');
  const spaced = colon === -1 ? /^(\S+)\s+(\S+)$/.exec(content) : null;
  const name = colon === -1 ? (spaced?.[1] ?? '') : content.slice(0, colon).trim();
  const value = colon === -1 ? (spaced?.[2] ?? '') : content.slice(colon + 1).trim();
  const key = KEYS.find(([spelling]) => spelling.test(name))?.[1];
  return key === undefined ? null : { key, value };
}

/** `*`, or the leading letters, `_` and `-` of the value in lower case (RFC 9309, 2.2.1). */
function productToken(value: string): string {
  if (value === '*' || /^\*\s/.test(value)) return '*';
  return (/^[a-z_-]+/i.exec(value)?.[0] ?? '').toLowerCase();
}

function parseDelay(value: string): number | null {
  const seconds = Number.parseFloat(value);
  return Number.isFinite(seconds) && seconds >= 0 ? Math.round(seconds * 1000) : null;
}

/** Percent-encodes what a URL cannot carry, with upper-case digits, as in a serialised URL. */
function asciiPattern(value: string): string {
  return value
    .replace(/\P{ASCII}+/gu, (text) => encodeURIComponent(text.toWellFormed()))
    .replace(/%[0-9a-f]{2}/gi, (coded) => coded.toUpperCase());
}

/** Undoes unnecessary escapes (RFC 3986, 2.3) and encodes what an address cannot contain. */
function plainEscapes(text: string): string {
  return evenEscapes(asciiPattern(text));
}

/** Path and query of an absolute address, as written. */
function pathOf(url: string): string {
  const authority = url.indexOf('//');
  const start = authority === -1 ? 0 : url.slice(authority + 2).search(/[/?;#]/) + authority + 2;
  if (authority !== -1 && start < authority + 2) return '/';
  const path = url.slice(start).replace(/#.*$/s, '');
  return path.startsWith('/') ? path : `/${path}`;
}

/** Greedy matching without backtracking: linear for patterns without `*`, never worse than path x pattern. */
function matches(path: string, pattern: string): boolean {
  const anchored = pattern.endsWith('$');
  const parts = (anchored ? pattern.slice(0, -1) : pattern).split('*');
  const [head = '', ...rest] = parts;
  if (!path.startsWith(head)) return false;
  let at = head.length;
  const last = anchored ? rest.pop() : undefined;
  for (const part of rest) {
    const found = path.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  if (!anchored) return true;
  if (last === undefined) return at === path.length;
  return path.length - last.length >= at && path.endsWith(last);
}
