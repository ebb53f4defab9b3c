import type { PageFacts } from './page-facts.ts';

/** The name that addresses this service alone in robots.txt, headers and pages; lower case. */
export const BOT_NAME = 'sanderling';

/** Permission to index a page and to follow its links. */
type RobotsDirectives = { index: boolean; follow: boolean };

/** Names of the `meta` elements that address every crawler or this one. */
const META_NAMES = ['robots', BOT_NAME, 'x-robots-tag'];
/** Maximum characters read of one `meta` element. */
const META_CHARS_MAX = 2_000;

/** X-Robots-Tag directives that are written with a colon, like the names of bots. */
const DIRECTIVES_WITH_VALUE = new Set([
  'unavailable_after',
  'max-snippet',
  'max-image-preview',
  'max-video-preview',
]);

/** Combines lists of directives; `none` means neither index nor follow. */
function mergeDirectives(lists: readonly string[]): RobotsDirectives {
  const words = new Set(lists.flatMap((list) => list.toLowerCase().split(/[\s,;]+/)));
  const none = words.has('none');
  return { index: !none && !words.has('noindex'), follow: !none && !words.has('nofollow') };
}

/**
 * Parses the X-Robots-Tag headers (one per line) that address this service. A bot's name applies to the rest of its line,
 * so directives after another bot's name are ignored.
 */
export function parseRobotsHeader(lines: string | undefined): RobotsDirectives {
  return mergeDirectives((lines ?? '').split('\n').flatMap(selectOwnDirectives));
}

function selectOwnDirectives(line: string): string[] {
  const directives: string[] = [];
  let isForUs = true;
  for (const part of line.split(',')) {
    const colon = part.indexOf(':');
    const name = part.slice(0, Math.max(0, colon)).trim().toLowerCase();
    const namesBot = /^[a-z*][\w.*-]*$/.test(name) && !DIRECTIVES_WITH_VALUE.has(name);
    if (namesBot) isForUs = name === BOT_NAME || name === '*' || name === 'robots';
    if (isForUs) directives.push(namesBot ? part.slice(colon + 1) : part);
  }
  return directives;
}

/** Reads the directives of a page's `meta` elements; several add up. */
export function readRobotsMeta({ meta }: PageFacts): RobotsDirectives {
  return mergeDirectives(META_NAMES.flatMap((name) => meta.get(name) ?? []));
}

/** Reads the same directives from the source, for pages whose tree is truncated. Linear in the text. */
export function scanRobotsMeta(html: string): RobotsDirectives {
  const source = html.toLowerCase();
  const lists: string[] = [];
  let next = 0;
  for (let at = source.indexOf('<meta'); at !== -1; at = source.indexOf('<meta', next)) {
    const [element = ''] = source.slice(at, at + META_CHARS_MAX).split('>', 1);
    // Continues behind the element, so that many unclosed elements stay linear.
    next = at + element.length;
    const [, name = ''] = /\b(?:name|http-equiv)\s{0,20}=\s{0,20}["']?([\w-]+)/.exec(element) ?? [];
    const [, content = ''] = /\bcontent\s{0,20}=\s{0,20}["']?([\w\s,;:-]+)/.exec(element) ?? [];
    if (META_NAMES.includes(name)) lists.push(content);
  }
  return mergeDirectives(lists);
}
