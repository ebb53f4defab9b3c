import type { FetchReason } from '../contract/errors.ts';
import type { Article } from './article.ts';
import { finishArticle } from './article.ts';
import { detectBlockPage, isEmptyShell } from './block-page.ts';
import type { OperatorRule } from './extract/content/rules/operator-rules.ts';
import type { ExtrasRequest, PageExtras } from './extract/extras/map-fields.ts';
import { isEmptySelection, NOTHING_SELECTED } from './extract/extras/take-extras.ts';
import type { Pointers } from './extract/metadata/addresses.ts';
import { decode } from './formats/decode.ts';
import type { TextFormat } from './formats/detect-format.ts';
import { readWithExtras } from './formats/read-format.ts';
import { toExtractFailure } from './unreadable.ts';

export type ExtractTask = {
  bytes: Uint8Array<ArrayBuffer>;
  /** The address of the response. */
  url: string;
  contentType: string | null;
  status: number;
  /** The operator's rule for the site. */
  rule?: OperatorRule;
  /** The extras to return besides the article. */
  extras?: ExtrasRequest;
};
/** `isShell`: the page is an empty shell, which scripts fill. */
export type ExtractResult =
  | { ok: true; article: Article; extras?: PageExtras; pointers?: Pointers; isShell?: true }
  /** `about`: the metadata of a page that has no text. */
  | {
      ok: false;
      reason: FetchReason;
      message: string;
      pointers?: Pointers;
      about?: Article;
      isShell?: true;
    };

/**
 * Extracts the article of a page, or returns why it cannot be read. Dates after `lastDay` are dropped. Runs in a worker thread; results
 * are plain data.
 */
export function extractPage(task: ExtractTask, format: TextFormat, lastDay: string | null): ExtractResult {
  const { bytes, url, contentType, status, extras: wanted, rule = null } = task;
  try {
    const { text } = decode(bytes, contentType);
    const { article, extras, pointers } = readWithExtras(
      { format, text, url, lastDay, rule },
      wanted ?? null,
    );
    const pointing = pointers === undefined ? {} : { pointers };
    const shell = detectShell(article, text);
    const nothing = { ...shell, ...(pointers === undefined ? {} : { pointers, about: article }) };
    if (article.kind === 'html') {
      const block = detectBlockPage({ status, html: text, title: article.title, markdown: article.markdown });
      if (block !== null) {
        const kind = block === 'script_only' ? nothing : pointing;
        return { ok: false, reason: 'wall', message: BLOCK_MESSAGES[block], ...kind };
      }
    }
    if (article.markdown.trim() === '')
      return { ok: false, reason: 'empty', message: 'the page has no text', ...nothing };
    if (wanted && extras && isEmptySelection(wanted, extras))
      return { ok: false, reason: 'empty', message: NOTHING_SELECTED, ...shell };
    const more = extras === undefined ? {} : { extras };
    return { ok: true, article: finishArticle(article, lastDay), ...more, ...pointing, ...shell };
  } catch (error) {
    return toExtractFailure(error);
  }
}

const detectShell = ({ kind, markdown }: Article, html: string): { isShell?: true } =>
  kind === 'html' && isEmptyShell(html, markdown) ? { isShell: true } : {};

const BLOCK_MESSAGES = {
  bot_check: 'the site answered with a bot check instead of the page',
  denied: 'the site refused access to the page',
  login: 'the page requires a login',
  consent: 'the site asks for consent before it shows the page',
  script_only: 'the page shows nothing until its scripts run',
} as const;
