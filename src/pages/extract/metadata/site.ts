import { articlesIn, ldText } from './json-ld.ts';
import type { PageFacts } from './page-facts.ts';
import { firstMeta } from './plain.ts';

const SITE_CHARS_MAX = 100;

/** The name of the site, as the page declares it; null when it does not. */
export function siteOf(facts: PageFacts): string | null {
  const declared =
    firstMeta(facts, [
      'og:site_name',
      'application-name',
      'al:ios:app_name',
      'apple-mobile-web-app-title',
      'dc.publisher',
      'citation_journal_title',
    ]) ?? publisher(facts);
  return declared === null || declared.length > SITE_CHARS_MAX ? null : declared;
}

function publisher({ jsonLd }: PageFacts): string | null {
  const site = jsonLd.find(({ types }) => types.includes('website'));
  const named = site === undefined ? null : ldText(site.value.name);
  return (
    named ??
    jsonLd
      .map(({ value }) => ldText(value.publisher))
      .find((name) => name !== null && !/^https?:/.test(name)) ??
    null
  );
}

/** The primary language subtag that the page declares (BCP 47, lower case), or null. */
export function languageOf(facts: PageFacts): string | null {
  const declared = [
    facts.htmlLang,
    firstMeta(facts, [
      'content-language',
      'og:locale',
      'dc.language',
      'dcterms.language',
      'language',
      'inlanguage',
    ]),
    ldText(articlesIn(facts.jsonLd)[0]?.inLanguage),
  ];
  for (const tag of declared) {
    const primary = /^([a-z]{2,3})(?:[-_,;]|$)/.exec(tag?.trim().toLowerCase() ?? '')?.[1];
    if (primary !== undefined && primary !== 'und' && primary !== 'mul') return primary;
  }
  return null;
}
