import type { PageFacts } from './page-facts.ts';
import { BOT_NAME, type RobotsDirectives, robotsDirectives } from './robots-directives.ts';

/** Names under which a `meta` element speaks to every crawler or to this one. */
const META_NAMES = ['robots', BOT_NAME, 'x-robots-tag'];
/** Characters of one `meta` element that are looked at. */
const META_CHARS_MAX = 2_000;

/** What the `meta` elements of a page ask; several add up. */
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
    // No character is looked at twice, however many elements begin and never end.
    next = at + element.length;
    const [, name = ''] = /\b(?:name|http-equiv)\s{0,20}=\s{0,20}["']?([\w-]+)/.exec(element) ?? [];
    const [, content = ''] = /\bcontent\s{0,20}=\s{0,20}["']?([\w\s,;:-]+)/.exec(element) ?? [];
    if (META_NAMES.includes(name)) lists.push(content);
  }
  return robotsDirectives(lists);
}
