import { articlesIn, ldText } from './json-ld.ts';
import type { PageFacts } from './page-facts.ts';
import { firstMeta } from './plain.ts';

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
