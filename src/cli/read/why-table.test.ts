import assert from 'node:assert/strict';
import { test } from 'node:test';
import { explainChoice } from '../../pages/extract/explain/explain-choice.ts';
import { formatWhyTable } from './read.ts';

test('the table names every block with its score, its section and what decided', () => {
  const sentence = 'The ferry left the harbour at dawn and reached the island before the storm came in. ';
  const report = explainChoice(
    `<nav>Home</nav><main><h1>Night ferry</h1><p>${sentence.repeat(8)}</p></main><footer>Imprint</footer>`,
    'https://a.example/ferry',
  );
  const lines = formatWhyTable(report, 'https://www.a.example/ferry').trimEnd().split('\n');
  assert.equal(lines.length, 10 + 2 * report.blocks.length);
  assert.match(lines[0] ?? '', /^\d of 4 blocks kept, \d+ of \d+ words; scores from 0\.\d\d on$/);
  assert.equal(lines[1], 'words left out: navigation 1, footer 1; for their score alone 0 (0 %)');
  const home = lines.findIndex((line) => line.endsWith('<nav>: Home'));
  assert.match(lines[home] ?? '', /^- +0\.\d\d {2}margin +1 {2}<nav>: Home$/);
  assert.match(lines[home + 1] ?? '', /^ {3}left out as navigation: score 0\.\d\d against 0\.\d\d; \w+/);
  assert.match(
    lines.find((line) => line.startsWith('   kept')) ?? '',
    /^ {3}kept: score 0\.\d\d against 0\.\d\d; \w+/,
  );
  assert.match(lines.at(-1) ?? '', /EXTRACT_RULES, such as \{"a\.example": /);
});
