import { chunkPage } from '../text/chunk/known-chunks.ts';
import { guessLanguage } from '../text/words/guess-language.ts';
import type { Article, PublishedDate } from './article.ts';

/** Of a longer page without a declared language, the beginning is enough for a guess. */
const GUESS_CHARS_MAX = 300_000;

/**
 * Decides the language of the text once, for everything that reads it, and drops days after `lastDay` (YYYY-MM-DD): nothing has been
 * published or changed yet on a day to come.
 */
export function finishArticle(article: Article, lastDay: string | null): Article {
  const { language, markdown, published, modified } = article;
  const guess = (): string | null => guessLanguage(chunkPage(markdown.slice(0, GUESS_CHARS_MAX)));
  const past = (date: PublishedDate | null): PublishedDate | null =>
    date === null || (lastDay !== null && date.day > lastDay) ? null : date;
  return {
    ...article,
    textLanguage: language ?? guess(),
    published: past(published),
    ...(modified === undefined ? {} : { modified: past(modified) }),
  };
}
