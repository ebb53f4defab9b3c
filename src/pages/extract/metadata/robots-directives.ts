import type { PageFacts } from './page-facts.ts';

/** The name by which a robots.txt, a header or a page addresses this service alone; lower case. */
export const BOT_NAME = 'sanderling';

/** Whether a page may be indexed, and whether its links may be followed. */
type RobotsDirectives = { index: boolean; follow: boolean };

/** Names of the `meta` elements that address every crawler or this one. */
const META_NAMES = ['robots', BOT_NAME, 'x-robots-tag'];
/** Characters of one `meta` element that are read. */
const META_CHARS_MAX = 2_000;

/** Directives of an X-Robots-Tag that are written with a colon, as bots' names are. */
const DIRECTIVES_WITH_VALUE = new Set([
  'unavailable_after',
  'max-snippet',
  'max-image-preview',
  'max-video-preview',
]);

/** Combines lists of directives; `none` means neither index nor follow. */
function robotsDirectives(lists: readonly string[]): RobotsDirectives {
  const words = new Set(lists.flatMap((list) => list.toLowerCase().split(/[\s,;]+/)));
  const none = words.has('none');
  return { index: !none && !words.has('noindex'), follow: !none && !words.has('nofollow') };
}

/**
 * The directives of X-Robots-Tag headers (one a line) that address this service. A bot's name applies to the rest of its line,
 * so what follows another bot's name is not for us.
 */
export function headerDirectives(lines: string | undefined): RobotsDirectives {
  return robotsDirectives((lines ?? '').split('\n').flatMap(directivesForUs));
}

function directivesForUs(line: string): string[] {
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

/** The directives of a page's `meta` elements; several add up. */
export function robotsOf({ meta }: PageFacts): RobotsDirectives {
  return robotsDirectives(META_NAMES.flatMap((name) => meta.get(name) ?? []));
}

/** The same from the source text, for a page of which the tree holds only a part. Linear in the text. */
export function robotsInSource(html: string): RobotsDirectives {
  const source = html.toLowerCase();
  const lists: string[] = [];
  let next = 0;
  for (let at = source.indexOf('<meta'); at !== -1; at = source.indexOf('<meta', next)) {
    const [element = ''] = source.slice(at, at + META_CHARS_MAX).split('>', 1);
    // No character is read twice, however many elements begin and never end.
    next = at + element.length;
    const [, name = ''] = /\b(?:name|http-equiv)\s{0,20}=\s{0,20}["']?([\w-]+)/.exec(element) ?? [];
    const [, content = ''] = /\bcontent\s{0,20}=\s{0,20}["']?([\w\s,;:-]+)/.exec(element) ?? [];
    if (META_NAMES.includes(name)) lists.push(content);
  }
  return robotsDirectives(lists);
}
