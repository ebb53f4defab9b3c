/** Release notes, lists of changes, indexes and legal pages: they say the words of every subject and explain none. */
const SIDE =
  /(?:^|[\s/_.-])(?:change ?logs?|changes|releases?|release ?notes|relnotes|what'?s ?new|news|history|announce(?:ments?)?|deprecat(?:ed|ions?)|genindex|modindex|contents|toc|search|licen[cs]es?|copyright|credits|bibliography|404)(?=$|[\s/_.\d-])/i;
/** A title as long as this is a headline, in which such a word may mean anything. */
const TITLE_WORDS_MAX = 4;

/** Whether a page is beside the subject of its site, by the last two parts of its address and its title. */
export function isSidePage(url: string, title: string): boolean {
  const path = URL.parse(url)?.pathname ?? '';
  const ends = path.split('/').slice(-2).join('/');
  const named = title.split(/ [—–|-] /)[0] ?? '';
  return SIDE.test(ends) || (named.split(/\s+/).length <= TITLE_WORDS_MAX && SIDE.test(named));
}

/** Whether a query asks for such a page. */
export const asksForSidePage = (query: string): boolean => SIDE.test(query);
