import assert from 'node:assert/strict';
import { test } from 'node:test';
import { applyPatch } from 'diff';
import { compareTexts } from './compare-texts.ts';
import { formatUnifiedDiff, patchLines, writeChangesAsMarkdown } from './write-changes.ts';

const NAMES = { before: 'a', after: 'b' };
const writeUnifiedDiff = (before: string, after: string): string =>
  formatUnifiedDiff(patchLines(before, after, NAMES));

test('a unified diff turns the one version into the other', () => {
  const before = '# Page\n\nOne.\n\nTwo.\n';
  const after = '# Page\n\nOne.\n\nThree.\n';
  const diff = writeUnifiedDiff(before, after);
  assert.match(diff, /^--- a\n\+\+\+ b\n@@ -2,4 \+2,4 @@\n/m);
  assert.equal(applyPatch(before, diff), after);
  assert.equal(writeUnifiedDiff(before, before), '');
});

test('texts without a common line are replaced as a whole', () => {
  const make = (word: string): string => Array.from({ length: 1_500 }, (_, at) => `${word} ${at}`).join('\n');
  assert.equal(applyPatch(make('a'), writeUnifiedDiff(make('a'), make('b'))), make('b'));
});

test('changes as Markdown, without noise', () => {
  const before =
    '# Page\n\nIt costs ten euros.\n\nLast updated: 3 May 2026\n\n## Old\n\nGone soon, says the sign.';
  const after =
    '# Page\n\nIt costs twelve euros.\n\nLast updated: 4 May 2026\n\n| a | b |\n| --- | --- |\n| 1 | 2 |';
  assert.equal(
    writeChangesAsMarkdown(compareTexts(before, after)),
    [
      '### Page',
      '**Changed:**',
      'It costs ~~ten~~**twelve** euros.',
      '**Removed:**',
      '## Old',
      '### Page > Old',
      '**Removed:**',
      'Gone soon, says the sign.',
      '### Page',
      '**Added:**',
      '| a | b |',
      '**Added:**',
      '| 1 | 2 |',
      '1 change is noise.',
    ].join('\n\n'),
  );
  assert.equal(writeChangesAsMarkdown(compareTexts(before, before)), 'Nothing has changed.');
});
