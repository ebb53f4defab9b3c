import { normalizeEscapes } from '../../text/urls/url-spelling.ts';

/**
 * robots.txt by RFC 9309; where the RFC leaves room, like Google's parser (misspelt "disalow", a missing colon), with the two
 * widespread extensions Crawl-delay and Sitemap.
 */
type Robots = { groups: RobotsGroup[]; sitemaps: string[] };

type RobotsGroup = { agents: string[]; rules: RobotsRule[]; crawlDelayMs: number | null };

/**
 * `pattern` is kept as written, non-ASCII percent-encoded; `*` matches anything, a final `$` the end of the path. `plain` is the same
 * with needless escapes undone.
 */
type RobotsRule = { allow: boolean; pattern: string; plain: string };

/** The rules for one crawler: from all groups that name it, or from those for every crawler. */
export type RobotsRules = {
  rules: RobotsRule[];
  /** The rules as patterns: for addresses as written, and for addresses with needless escapes undone. */
  written: Patterns;
  plain: Patterns;
  crawlDelayMs: number | null;
};

/** Plain prefixes are looked up in a map, however many there are; patterns with `*` or `$` are compared one by one. */
type Patterns = {
  beginnings: Map<string, boolean>;
  lengths: number[];
  others: [pattern: string, allow: boolean][];
};

/** RFC 9309 asks for at least 500 KiB; the rest is not read. */
const ROBOTS_CHARS_MAX = 512_000;
const LINE_CHARS_MAX = 16_664;
const RULES_MAX = 20_000;
const SITEMAPS_MAX = 1_000;
/**
 * Maximum characters compared for one address. 5,000 patterns with stars stay below it for addresses of 200 characters; an address that
 * takes more would block other work, and counts as forbidden.
 */
const COMPARED_CHARS_MAX = 1_000_000;

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
      group.agents.push(parseProductToken(field.value));
    } else if (group !== null && field.key === 'crawl-delay') {
      naming = false;
      group.crawlDelayMs ??= parseDelay(field.value);
    } else if (group !== null && (field.key === 'allow' || field.key === 'disallow')) {
      naming = false;
      if (field.value === '' || rules >= RULES_MAX) continue;
      rules += 1;
      const pattern = encodePattern(field.value);
      group.rules.push({ allow: field.key === 'allow', pattern, plain: normalizeEscapes(pattern) });
    }
  }
  return robots;
}

/** Selects the rules for a crawler by its product token (`Sanderling` of `Sanderling/1.0 (...)`), ignoring case. */
export function selectRules(robots: Robots, agent: string): RobotsRules {
  const token = parseProductToken(agent);
  const named = token === '' ? [] : robots.groups.filter(({ agents }) => agents.includes(token));
  const groups = named.length > 0 ? named : robots.groups.filter(({ agents }) => agents.includes('*'));
  const delays = groups.map(({ crawlDelayMs }) => crawlDelayMs).filter((delay) => delay !== null);
  const rules = groups.flatMap((group) => group.rules);
  return {
    rules,
    written: buildPatterns(rules.map(({ pattern, allow }) => [pattern, allow])),
    plain: buildPatterns(rules.map(({ plain, allow }) => [plain, allow])),
    crawlDelayMs: delays.length === 0 ? null : delays.reduce((longest, one) => Math.max(longest, one)),
  };
}

/** The rules of a host without a robots.txt. */
export const EVERYTHING_ALLOWED: RobotsRules = selectRules({ groups: [], sitemaps: [] }, '');

function buildPatterns(rules: [pattern: string, allow: boolean][]): Patterns {
  const beginnings = new Map<string, boolean>();
  const others: Patterns['others'] = [];
  for (const [pattern, allow] of rules)
    if (/[*$]/.test(pattern)) others.push([pattern, allow]);
    else beginnings.set(pattern, allow || beginnings.get(pattern) === true);
  const lengths = [...new Set([...beginnings.keys()].map(({ length }) => length))];
  return {
    beginnings,
    lengths: lengths.sort((left, right) => right - left),
    // Longest first, Allow before Disallow: the first match decides.
    others: others.sort(
      ([left, allowed], [right, otherAllowed]) =>
        right.length - left.length || Number(otherAllowed) - Number(allowed),
    ),
  };
}

/**
 * Returns whether the rules allow fetching the URL: the longest matching pattern decides, Allow wins a tie (RFC 9309, 2.2.2).
 * Both the address as written and the one with needless percent-encoding undone must pass, because sites and parsers differ
 * on which of the two is compared.
 */
export function isAllowed({ rules, written, plain }: RobotsRules, url: string): boolean {
  if (rules.length === 0) return true;
  const path = extractPath(url);
  if (path === '/robots.txt') return true;
  return allows(written, path) && allows(plain, normalizeEscapes(encodePattern(path)));
}

function allows({ beginnings, lengths, others }: Patterns, path: string): boolean {
  const longest =
    lengths.find((length) => length <= path.length && beginnings.has(path.slice(0, length))) ?? -1;
  const allowed = beginnings.get(path.slice(0, Math.max(0, longest))) ?? true;
  const budget = { chars: COMPARED_CHARS_MAX };
  for (const [pattern, allow] of others) {
    if (pattern.length < longest || (pattern.length === longest && !allow)) continue;
    const found = matchesPattern(path, pattern, budget);
    if (budget.chars < 0) return false;
    if (found) return allow;
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

/** Returns `*`, or the leading letters, `_` and `-` of the value in lower case (RFC 9309, 2.2.1). */
function parseProductToken(value: string): string {
  if (value === '*' || /^\*\s/.test(value)) return '*';
  return (/^[a-z_-]+/i.exec(value)?.[0] ?? '').toLowerCase();
}

function parseDelay(value: string): number | null {
  const seconds = Number.parseFloat(value);
  return Number.isFinite(seconds) && seconds >= 0 ? Math.round(seconds * 1000) : null;
}

/** Percent-encodes non-ASCII characters, with upper-case digits as in a serialised URL. */
function encodePattern(value: string): string {
  return value
    .replace(/\P{ASCII}+/gu, (text) => encodeURIComponent(text.toWellFormed()))
    .replace(/%[0-9a-f]{2}/gi, (coded) => coded.toUpperCase());
}

/** Returns the path and query of an absolute address, as written. */
function extractPath(url: string): string {
  const authority = url.indexOf('//');
  const start = authority === -1 ? 0 : url.slice(authority + 2).search(/[/?;#]/) + authority + 2;
  if (authority !== -1 && start < authority + 2) return '/';
  const path = url.slice(start).replace(/#.*$/s, '');
  return path.startsWith('/') ? path : `/${path}`;
}

/** Matches greedily without backtracking: linear without `*`, never worse than path x pattern. Takes compared characters from `budget`. */
function matchesPattern(path: string, pattern: string, budget: { chars: number }): boolean {
  const anchored = pattern.endsWith('$');
  const parts = (anchored ? pattern.slice(0, -1) : pattern).split('*');
  const [head = '', ...rest] = parts;
  if (!path.startsWith(head)) return false;
  let at = head.length;
  const last = anchored ? rest.pop() : undefined;
  for (const part of rest) {
    const found = path.indexOf(part, at);
    budget.chars -= (found === -1 ? path.length : found) - at;
    if (found === -1 || budget.chars < 0) return false;
    at = found + part.length;
  }
  if (!anchored) return true;
  if (last === undefined) return at === path.length;
  return path.length - last.length >= at && path.endsWith(last);
}
