import { fitMarkdown } from './markdown-comment.ts';

const RUST_WORDS =
  /^(?:rust|no_run|should_panic|compile_fail|ignore(?:-\w+)*|edition\d{4}|test_harness|standalone\w*|E\d{4})$/;
/** A reference to an item, such as "[`Sender`]: crate::sync::Sender". */
const ITEM_REFERENCE = /^\s{0,3}\[([^\]]+)\]:\s*(?!https?:)\S+\s*$/;
const CODE_LINK = /\[(`[^`\]]+`)\](?:\[[^\]]*\]|\((?!https?:)[^()]*\))?(?!:)/g;
const PATH_LINK = /\[([^[\]]+)\]\((?!https?:|#)[^()\s]*(?:\(\))?\)/g;
const REFERENCE_LINK = /\[([^[\]]+)\]\[([^[\]]+)\]/g;

/** Converts the text of `///` and `//!` lines to Markdown: blocks are Rust unless they say otherwise, and hidden lines are left out. */
export function convertRustdoc(text: string): string {
  let isRust = false;
  const items = new Set(text.split('\n').map((line) => ITEM_REFERENCE.exec(line)?.[1]));
  const unlink = (line: string): string =>
    line
      .replace(CODE_LINK, '$1')
      .replace(PATH_LINK, '$1')
      .replace(REFERENCE_LINK, (whole, label: string, reference: string) =>
        items.has(reference) ? label : whole,
      );
  return fitMarkdown(text, {
    fence: (words) => {
      isRust = words === '' || words.split(/[\s,{}]+/).every((word) => word === '' || RUST_WORDS.test(word));
      return isRust ? 'rust' : words;
    },
    code: (line) => {
      if (!isRust || !line.trimStart().startsWith('#')) return line;
      const shown = line.trimStart();
      if (shown === '#' || shown.startsWith('# ')) return null;
      return shown.startsWith('##') ? line.replace('##', '#') : line;
    },
    text: (line) => (ITEM_REFERENCE.test(line) ? null : unlink(line)),
  });
}
