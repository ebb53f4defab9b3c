import type { SourcePassage } from '../../text/proof/prove-statements.ts';

/** The size of a passage, and of all that are taken from one page. */
const PASSAGE_CHARS = 1_500;
const PAGE_CHARS_MAX = 400_000;

/** Splits a page into passages at its blank lines, in the order of the page; a longer paragraph is a passage of its own. */
export function splitPage({
  url,
  title,
  markdown,
}: {
  url: string;
  title: string;
  markdown: string;
}): SourcePassage[] {
  const passages: SourcePassage[] = [];
  let text = '';
  const finish = (): void => {
    if (text.trim() !== '') passages.push({ url, title, text });
    text = '';
  };
  for (const block of markdown.slice(0, PAGE_CHARS_MAX).split(/\n{2,}/)) {
    if (text !== '' && text.length + block.length > PASSAGE_CHARS) finish();
    text = text === '' ? block : `${text}\n\n${block}`;
  }
  finish();
  return passages;
}
