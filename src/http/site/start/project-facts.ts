/** A measured figure beside its baseline. */
export type Figure = {
  what: string;
  /** The measure and its unit. */
  measure: string;
  ours: number;
  baseline: number;
  /** Decimal places, as in the document. */
  digits: number;
  baselineName: string;
  /** Maximum value of the measure. */
  most: number;
};

/** The place of a figure in docs/quality.md: the row of a table below a heading, and two of its columns. */
type FigurePlace = Omit<Figure, 'ours' | 'baseline' | 'digits'> & {
  heading: string;
  row: string;
  columns: [ours: string, baseline: string];
};

const PLACES: FigurePlace[] = [
  {
    what: 'Finding a known page of the PostgreSQL manual',
    measure: 'MRR@10, %',
    heading: 'Ranking',
    row: 'PostgreSQL',
    columns: ['as served', 'FTS5'],
    baselineName: 'BM25 of SQLite',
    most: 100,
  },
  {
    what: 'Finding a known page of the Python manual',
    measure: 'MRR@10, %',
    heading: 'Ranking',
    row: 'Python',
    columns: ['as served', 'FTS5'],
    baselineName: 'BM25 of SQLite',
    most: 100,
  },
  {
    what: 'First passage holds the answer, 2,910 questions',
    measure: '%',
    heading: 'Passages',
    row: 'squad2_dev_half',
    columns: ['ours', 'BM25'],
    baselineName: 'BM25',
    most: 100,
  },
  {
    what: 'Research finds both pages of a two-step question, held out',
    measure: 'share',
    heading: 'Deep research',
    row: '5 / 15 / 4,000 (default)',
    columns: ['held out', 'plain'],
    baselineName: 'one plain search',
    most: 1,
  },
];

/** Reads the figures of docs/quality.md that the start page shows. Throws if one is missing. */
export function readFigures(document: string): Figure[] {
  return PLACES.map(({ heading, row, columns, ...figure }) => {
    const cells = findValues(document, { heading, row, columns });
    const [ours, baseline] = [parseNumber(cells[0]), parseNumber(cells[1])];
    return { ...figure, ours, baseline, digits: countDigits(cells[0]) };
  });
}

function findValues(
  document: string,
  { heading, row, columns }: Pick<FigurePlace, 'heading' | 'row' | 'columns'>,
): [string, string] {
  const section = document.split(/^## /m).find((text) => text.startsWith(`${heading}\n`)) ?? '';
  const tables = section.split(/\n\n+/).filter((block) => block.startsWith('|'));
  for (const table of tables) {
    const [names = [], , ...rows] = table.trimEnd().split('\n').map(splitCells);
    const values = rows.find(([name]) => name === row);
    // The baseline's column comes after ours; two columns may have the same name.
    const ours = names.indexOf(columns[0]);
    const baseline = names.indexOf(columns[1], ours + 1);
    if (values === undefined || ours === -1 || baseline === -1) continue;
    return [values[ours] ?? '', values[baseline] ?? ''];
  }
  throw new Error(`docs/quality.md has no row "${row}" with ${columns.join(' and ')} below "${heading}"`);
}

const splitCells = (line: string): string[] =>
  line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());

/** Parses the first number of a cell such as `87.7 / 96.0 / 97.6`. */
function parseNumber(cell: string): number {
  const number = Number.parseFloat(cell);
  if (Number.isNaN(number)) throw new Error(`docs/quality.md has no number in "${cell}"`);
  return number;
}

const countDigits = (cell: string): number => /\.(\d+)/.exec(cell)?.[1]?.length ?? 0;

/** A client that works unmodified, and the page with its recipe. */
type Client = { name: string; href: string | null };

/** Client libraries that test/clients runs unmodified; a test compares the names. */
export const PACKAGES = [
  ...['exa-js', 'exa-py', '@tavily/core', 'tavily-python', '@mendable/firecrawl-js', 'firecrawl-py'],
  ...['@perplexity-ai/perplexity_ai', 'linkup-sdk'],
];

/** Lists the applications in the table of docs/integrations.md, then the client libraries. */
export function listClients(integrations: string): Client[] {
  const applications = [...integrations.matchAll(/^\| \[([^[\]\n]+)\]\(integrations\/([\w-]+)\.md\)/gm)].map(
    ([, name = '', file]): Client => ({ name, href: `/docs/integrations/${file}` }),
  );
  return [...applications, ...PACKAGES.map((name): Client => ({ name, href: null }))];
}
