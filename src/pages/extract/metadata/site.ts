import { readFirstMeta } from './author.ts';
import { filterArticles, readLdText } from './json-ld.ts';
import type { PageFacts } from './page-facts.ts';

const SITE_CHARS_MAX = 100;

/** Finds the name of the site that the page declares, or null. */
export function findSiteName(facts: PageFacts): string | null {
  const declared =
    readFirstMeta(facts, [
      'og:site_name',
      'application-name',
      'al:ios:app_name',
      'apple-mobile-web-app-title',
      'dc.publisher',
      'citation_journal_title',
    ]) ?? findPublisher(facts);
  return declared === null || declared.length > SITE_CHARS_MAX ? null : declared;
}

function findPublisher({ jsonLd }: PageFacts): string | null {
  const site = jsonLd.find(({ types }) => types.includes('website'));
  const named = site === undefined ? null : readLdText(site.value.name);
  return (
    named ??
    jsonLd
      .map(({ value }) => readLdText(value.publisher))
      .find((name) => name !== null && !/^https?:/.test(name)) ??
    null
  );
}

/** Finds the primary language subtag that the page declares (BCP 47, lower case), or null. */
export function findLanguage(facts: PageFacts): string | null {
  const declared = [
    facts.htmlLang,
    readFirstMeta(facts, [
      'content-language',
      'og:locale',
      'dc.language',
      'dcterms.language',
      'language',
      'inlanguage',
    ]),
    readLdText(filterArticles(facts.jsonLd)[0]?.inLanguage),
  ];
  for (const tag of declared) {
    const primary = /^([a-z]{2,3})(?:[-_,;]|$)/.exec(tag?.trim().toLowerCase() ?? '')?.[1];
    if (primary !== undefined && primary !== 'und' && primary !== 'mul') return primary;
  }
  return null;
}
