import type { Article } from '../../article.ts';
import { readTexts } from './xml.ts';
import type { Zip } from './zip.ts';

type Properties = Pick<Article, 'title' | 'author' | 'description' | 'language' | 'published'>;

/** Reads the title, author and date of an office file, which all these formats write in Dublin Core. */
export function readProperties(
  zip: Zip,
  xml = zip.text('docProps/core.xml') || zip.text('meta.xml'),
): Properties {
  const texts = readTexts(xml);
  const day = (
    texts.get('dcterms:created') ??
    texts.get('meta:creation-date') ??
    texts.get('dc:date') ??
    ''
  ).slice(0, 10);
  const isDay = /^\d{4}-\d\d-\d\d$/.test(day) && !Number.isNaN(Date.parse(day));
  return {
    title: texts.get('dc:title') ?? '',
    author: texts.get('dc:creator') ?? texts.get('meta:initial-creator') ?? null,
    description: texts.get('dc:description') ?? texts.get('dc:subject') ?? null,
    language: /^[a-z]{2,3}(?![a-z])/i.exec(texts.get('dc:language') ?? '')?.[0].toLowerCase() ?? null,
    published: isDay ? { day, from: 'meta' } : null,
  };
}
