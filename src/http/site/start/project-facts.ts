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

/** A figure by the name of its row in the table of docs/quality.md. */
type FigurePlace = Omit<Figure, 'ours' | 'baseline' | 'digits'> & { row: string };

const PLACES: FigurePlace[] = [
  {
    what: 'Finding a known page of the PostgreSQL manual',
    measure: 'MRR@10, %',
    row: 'Known pages, PostgreSQL manual',
    baselineName: 'BM25 of SQLite',
    most: 100,
  },
  {
    what: 'Finding a known page of the Python manual',
    measure: 'MRR@10, %',
    row: 'Known pages, Python manual',
    baselineName: 'BM25 of SQLite',
    most: 100,
  },
  {
    what: 'First passage holds the answer, 2,910 questions',
    measure: '%',
    row: 'First passage, 2,910 questions of SQuAD 2',
    baselineName: 'BM25',
    most: 100,
  },
  {
    what: 'Research finds both pages of a two-step question, held out',
    measure: 'share',
    row: 'Research finds both pages of a two-step question',
    baselineName: 'one plain search',
    most: 1,
  },
];

/** Reads the figures of docs/quality.md that the start page shows. Throws if one is missing. */
export function readFigures(document: string): Figure[] {
  return PLACES.map(({ row, ...figure }) => {
    const [ours, baseline] = findValues(document, row);
    return { ...figure, ours: parseNumber(ours), baseline: parseNumber(baseline), digits: countDigits(ours) };
  });
}

/** Finds the cells of a row below the columns `ours` and `baseline`, in the first table that has both. */
function findValues(document: string, row: string): [ours: string, baseline: string] {
  const tables = document.split(/\n\n+/).filter((block) => block.startsWith('|'));
  for (const table of tables) {
    const [names = [], , ...rows] = table.trimEnd().split('\n').map(splitCells);
    const values = rows.find(([name]) => name === row);
    const [ours, baseline] = [names.indexOf('ours'), names.indexOf('baseline')];
    if (values === undefined || ours === -1 || baseline === -1) continue;
    return [values[ours] ?? '', values[baseline] ?? ''];
  }
  throw new Error(`docs/quality.md has no row "${row}" with ours and baseline`);
}

const splitCells = (line: string): string[] =>
  line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());

/** Parses the first number of a cell such as `83.8 (BM25)`. */
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
