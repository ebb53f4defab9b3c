/** The name by which a robots.txt, a header or a page speaks to this service alone; lower case. */
export const BOT_NAME = 'sanderling';

/** Whether a page may be indexed, and whether its links may be followed. */
export type RobotsDirectives = { index: boolean; follow: boolean };

/** Directives of an X-Robots-Tag that are written with a colon, as bots' names are. */
const DIRECTIVES_WITH_VALUE = new Set([
  'unavailable_after',
  'max-snippet',
  'max-image-preview',
  'max-video-preview',
]);

/** What all given directive lists together ask: `none` means neither. */
export function robotsDirectives(lists: readonly string[]): RobotsDirectives {
  const words = new Set(lists.flatMap((list) => list.toLowerCase().split(/[\s,;]+/)));
  const none = words.has('none');
  return { index: !none && !words.has('noindex'), follow: !none && !words.has('nofollow') };
}

/**
 * What the X-Robots-Tag headers of an answer ask of this service, one header a line. A bot's name holds to the end of
 * its line; what follows another bot's name is not meant for us.
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
