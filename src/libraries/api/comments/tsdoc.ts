import { writeTaggedComment } from './block-tags.ts';
import { type Comment, unwrapBlockComment } from './markdown-comment.ts';

const INLINE_LINK = /\{@(?:link|linkcode|linkplain|see|inheritDoc)\s([^{}]*)\}/g;

/** Converts a comment in TSDoc or JSDoc, with its marks, to Markdown. */
export function convertTsdoc(comment: string, language: string): Comment {
  return writeTaggedComment(unwrapBlockComment(comment), { language, convertText: convertInlineTags });
}

function convertInlineTags(text: string): string {
  return text.replace(INLINE_LINK, (_, content: string) => {
    const [target = ''] = /^[^|\s]+/.exec(content.trimStart()) ?? [];
    const shown = content.trimStart().slice(target.length).replace('|', '').trim();
    if (/^https?:\/\//.test(target)) return shown === '' ? `<${target}>` : `[${shown}](${target})`;
    return shown === '' ? `\`${target}\`` : shown;
  });
}
