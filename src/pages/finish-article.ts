import { chunkPage } from '../text/chunk/known-chunks.ts';
import { guessLanguage } from '../text/words/guess-language.ts';
import type { Article, PublishedDate } from './article.ts';

/** Maximum characters from which the language of a page is guessed. */
const GUESS_CHARS_MAX = 300_000;

/** Decides the language of the text once, for every later reader, and drops dates after `lastDay` (YYYY-MM-DD), which cannot be right. */
export function finishArticle(article: Article, lastDay: string | null): Article {
  const { language, markdown, published, modified } = article;
  const guessTextLanguage = (): string | null => guessLanguage(chunkPage(markdown.slice(0, GUESS_CHARS_MAX)));
  const dropFutureDate = (date: PublishedDate | null): PublishedDate | null =>
    date === null || (lastDay !== null && date.day > lastDay) ? null : date;
  return {
    ...article,
    textLanguage: language ?? guessTextLanguage(),
    published: dropFutureDate(published),
    ...(modified === undefined ? {} : { modified: dropFutureDate(modified) }),
  };
}
