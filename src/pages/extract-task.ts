import { Failure, type FetchReason } from '../contract/errors.ts';
import { chunkMarkdown } from '../text/chunk/chunk-markdown.ts';
import { guessLanguage } from '../text/words/guess-language.ts';
import type { Article } from './article.ts';
import { blockPageOf } from './block-page.ts';
import type { ExtrasWanted, PageExtras } from './extract/extras/extras-types.ts';
import { decode } from './formats/decode.ts';
import { formatOf, readFormat, readWithExtras } from './formats/read-format.ts';

export type ExtractTask = {
  bytes: Uint8Array<ArrayBuffer>;
  /** The address that answered. */
  url: string;
  contentType: string | null;
  status: number;
  /** What is wanted besides the article. */
  extras?: ExtrasWanted;
};
export type Extracted =
  | { ok: true; article: Article; extras?: PageExtras }
  | { ok: false; reason: FetchReason; message: string };

/** Bytes of a page -> its article, or why it cannot be read. Runs in a worker thread; results are plain data. */
export function extractTask({ bytes, url, contentType, status, extras: wanted }: ExtractTask): Extracted {
  try {
    const format = formatOf(bytes, contentType, url);
    const { text } = decode(bytes, contentType);
    const { article, extras } = wanted
      ? readWithExtras({ format, text, url }, wanted)
      : { article: readFormat(format, text, url) };
    if (article.kind === 'html') {
      const block = blockPageOf({ status, html: text, title: article.title, markdown: article.markdown });
      if (block !== null) return { ok: false, reason: 'wall', message: BLOCK_MESSAGES[block] };
    }
    if (article.markdown.trim() === '')
      return { ok: false, reason: 'empty', message: 'the page has no text' };
    if (wanted?.selection && extras?.markdown.trim() === '')
      return { ok: false, reason: 'empty', message: 'the part of the page that was asked for has no text' };
    return { ok: true, article: withTextLanguage(article), ...(extras === undefined ? {} : { extras }) };
  } catch (error) {
    if (error instanceof Failure && error.fetch !== null)
      return { ok: false, reason: error.fetch.reason, message: error.message };
    throw error;
  }
}

/** Decides the language of the text once, for everything that reads it. */
function withTextLanguage(article: Article): Article {
  const { language, markdown } = article;
  const guess = (): string | null => guessLanguage(chunkMarkdown(markdown.slice(0, GUESS_CHARS_MAX)));
  return { ...article, textLanguage: language ?? guess() };
}

/** Of a longer page without a declared language, the beginning is enough for a guess. */
const GUESS_CHARS_MAX = 300_000;

const BLOCK_MESSAGES = {
  bot_check: 'the site answered with a bot check instead of the page',
  denied: 'the site refused access to the page',
  login: 'the page requires a login',
  consent: 'the site asks for consent before it shows the page',
  script_only: 'the page shows nothing until its scripts run',
} as const;
