import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  formatCsv,
  formatTable,
  listTables,
  type MarkdownTable,
  selectRows,
  toRecords,
} from './markdown-tables.ts';

const MARKDOWN = `# Ships

| Ship | Length | |
| --- | ---: | --- |
| **Ann** | 12 | [log](https://example.org/a) |
| Bob, "the old" | 9 | a \\| b<br>c |

Text.

\`\`\`
| not | a table |
\`\`\`

> | A | A |
> | --- | --- |
> | 1 | 2 |
`;
const [SHIPS, QUOTED] = listTables(MARKDOWN) as [MarkdownTable, MarkdownTable];

describe('tables of Markdown', () => {
  test('are listed in order, without those in code', () => {
    assert.equal(listTables(MARKDOWN).length, 2);
    assert.deepEqual(SHIPS.columns, ['Ship', 'Length', '']);
    assert.deepEqual(QUOTED, { columns: ['A', 'A'], rows: [['1', '2']] });
  });

  test('as records: texts without marks, each column with a name of its own', () => {
    assert.deepEqual(toRecords(SHIPS), {
      columns: ['Ship', 'Length', 'column 3'],
      records: [
        { Ship: 'Ann', Length: '12', 'column 3': 'log' },
        { Ship: 'Bob, "the old"', Length: '9', 'column 3': 'a | b\nc' },
      ],
    });
    assert.deepEqual(toRecords(QUOTED).columns, ['A', 'A (2)']);
  });

  test('as comma separated values', () => {
    assert.equal(formatCsv(SHIPS), 'Ship,Length,\r\nAnn,12,log\r\n"Bob, ""the old""",9,"a | b\nc"\r\n');
  });

  const selections: [rows: string | null, ships: string[]][] = [
    [null, ['12', '9']],
    ['2', ['9']],
    ['1-2', ['12', '9']],
    ['2-40', ['9']],
    ['3', []],
    ['ann', ['12']],
    ['THE OLD', ['9']],
  ];
  for (const [rows, lengths] of selections)
    test(`the rows ${rows}`, () =>
      assert.deepEqual(
        selectRows(SHIPS, rows).rows.map(([, length]) => length),
        lengths,
      ));

  test('written again', () => {
    assert.equal(formatTable(selectRows(QUOTED, '1')), '| A | A |\n| --- | --- |\n| 1 | 2 |');
  });
});
