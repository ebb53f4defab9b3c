import { formatPatch, type StructuredPatch, structuredPatch } from 'diff';
import type { TextChange, TextComparison, WordRun } from './compare-texts.ts';

const LINE_EDITS_MAX = 1_000;
const CONTEXT_LINES = 3;

/** Names of the two versions in a unified diff. */
export type PatchNames = { before: string; after: string };

/** Formats hunks as a unified diff; empty where nothing differs. */
export function formatUnifiedDiff(patch: StructuredPatch): string {
  return patch.hunks.length === 0 ? '' : formatPatch(patch);
}

/** Compares two texts line by line. Texts that have little in common are replaced as a whole. */
export function patchLines(before: string, after: string, names: PatchNames): StructuredPatch {
  const patch = structuredPatch(names.before, names.after, before, after, undefined, undefined, {
    context: CONTEXT_LINES,
    maxEditLength: LINE_EDITS_MAX,
  });
  if (patch !== undefined) return patch;
  const [removed, added] = [before.split('\n'), after.split('\n')];
  const hunk = {
    oldStart: 1,
    oldLines: removed.length,
    newStart: 1,
    newLines: added.length,
    lines: [...removed.map((line) => `-${line}`), ...added.map((line) => `+${line}`)],
  };
  return {
    oldFileName: names.before,
    newFileName: names.after,
    oldHeader: undefined,
    newHeader: undefined,
    hunks: [hunk],
  };
}

const TITLES = { added: 'Added', removed: 'Removed', changed: 'Changed', moved: 'Moved' } as const;
const LABEL_CHARS_MAX = 200;

/** Writes the changes that are not noise as Markdown: under their headings, removed words struck through and added ones in bold. */
export function writeChangesAsMarkdown({ changes }: Pick<TextComparison, 'changes'>): string {
  const meant = changes.filter(({ noise }) => noise === null);
  const noise = changes.length - meant.length;
  let path = '';
  const parts = meant.map((change) => {
    const ownPath = change.headingPath.join(' > ').slice(0, LABEL_CHARS_MAX);
    const heading = ownPath === path || ownPath === '' ? '' : `### ${ownPath}\n\n`;
    path = ownPath;
    return `${heading}**${TITLES[change.kind]}:**\n\n${writeBlock(change)}`;
  });
  const rest = noise === 0 ? [] : [`${noise} ${noise === 1 ? 'change is' : 'changes are'} noise.`];
  return [...(parts.length === 0 ? ['Nothing has changed.'] : parts), ...rest].join('\n\n');
}

function writeBlock({ kind, block, before, after, words }: TextChange): string {
  const passage = after ?? before;
  if (kind !== 'changed' || words === null) return passage?.quote ?? '';
  // Marks would be part of the code, and may cut a table or a link in two.
  if (block === 'code' || hasMarkup(words))
    return `${before?.quote ?? ''}\n\nis now\n\n${after?.quote ?? ''}`;
  return words.map(writeRun).join('');
}

const hasMarkup = (words: readonly WordRun[]): boolean =>
  words.some(({ kind, text }) => kind !== 'same' && /[[\]()*~`|\n]/.test(text));

function writeRun({ kind, text }: WordRun): string {
  const lead = /^\s*/.exec(text)?.[0] ?? '';
  const tail = text.slice(text.trimEnd().length);
  const inner = text.slice(lead.length, text.length - tail.length);
  if (kind === 'same' || inner === '') return kind === 'removed' ? '' : text;
  const mark = kind === 'removed' ? '~~' : '**';
  return `${lead}${mark}${inner}${mark}${tail}`;
}
