/** Release notes, lists of changes, indexes and legal pages: they contain the words of every subject and explain none. */
const SIDE =
  /(?:^|[\s/_.-])(?:change ?logs?|changes|releases?|release ?notes|relnotes|what'?s ?new|news|history|announce(?:ments?)?|deprecat(?:ed|ions?)|genindex|modindex|contents|toc|search|licen[cs]es?|copyright|credits|bibliography|404)(?=$|[\s/_.\d-])/i;
/** Source listings published with a program's documentation, by Sphinx and others. */
const SOURCE_PATH = /\/_(?:modules|sources)\//;
const SOURCE_TITLE = /^source code (?:for|of)\b/i;
const ASKS_FOR_SOURCE = /\b(?:source(?: code)?|implementation|_modules)\b/i;
/** A longer title is a headline, in which such a word may mean anything. */
const TITLE_WORDS_MAX = 4;

/** True when a page is not about the subject of its site, judged by its title and mostly the last two parts of its address. */
export function isSidePage(url: string, title: string): boolean {
  const path = URL.parse(url)?.pathname ?? '';
  if (SOURCE_PATH.test(path) || SOURCE_TITLE.test(title)) return true;
  const ends = path.split('/').slice(-2).join('/');
  const named = title.split(/ [—–|-] /)[0] ?? '';
  return SIDE.test(ends) || (named.split(/\s+/).length <= TITLE_WORDS_MAX && SIDE.test(named));
}

/** True when a query asks for such a page. */
export const wantsSidePage = (query: string): boolean => SIDE.test(query) || ASKS_FOR_SOURCE.test(query);
