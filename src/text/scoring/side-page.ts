/** Release notes, lists of changes, indexes and legal pages: they say the words of every subject and explain none. */
const SIDE =
  /(?:^|[\s/_.-])(?:change ?logs?|changes|releases?|release ?notes|relnotes|what'?s ?new|news|history|announce(?:ments?)?|deprecat(?:ed|ions?)|genindex|modindex|contents|toc|search|licen[cs]es?|copyright|credits|bibliography|404)(?=$|[\s/_.\d-])/i;
/** Listings of a program's source beside its documentation, as Sphinx and others publish them. */
const SOURCE_PATH = /\/_(?:modules|sources)\//;
const SOURCE_TITLE = /^source code (?:for|of)\b/i;
const ASKS_FOR_SOURCE = /\b(?:source(?: code)?|implementation|_modules)\b/i;
/** A title as long as this is a headline, in which such a word may mean anything. */
const TITLE_WORDS_MAX = 4;

/** Whether a page is beside the subject of its site, by its address, mostly the last two parts, and its title. */
export function isSidePage(url: string, title: string): boolean {
  const path = URL.parse(url)?.pathname ?? '';
  if (SOURCE_PATH.test(path) || SOURCE_TITLE.test(title)) return true;
  const ends = path.split('/').slice(-2).join('/');
  const named = title.split(/ [—–|-] /)[0] ?? '';
  return SIDE.test(ends) || (named.split(/\s+/).length <= TITLE_WORDS_MAX && SIDE.test(named));
}

/** Whether a query asks for such a page. */
export const asksForSidePage = (query: string): boolean => SIDE.test(query) || ASKS_FOR_SOURCE.test(query);
