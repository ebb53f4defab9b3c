import { chunksOfPage } from '../text/chunk/known-chunks.ts';
import { guessLanguage } from '../text/words/guess-language.ts';
import type { Article } from './article.ts';

/** Of a longer page without a declared language, the beginning is enough for a guess. */
const GUESS_CHARS_MAX = 300_000;

/** Decides the language of the text once, for everything that reads it. */
export function withTextLanguage(article: Article): Article {
  const { language, markdown } = article;
  const guess = (): string | null => guessLanguage(chunksOfPage(markdown.slice(0, GUESS_CHARS_MAX)));
  return { ...article, textLanguage: language ?? guess() };
}
