/** Pages with tables and code, and the minimum of each in their source. */
const PAGES = [
  { site: 0, path: 'library/csv.html', fences: 8, rows: 0 },
  { site: 0, path: 'library/string.html', fences: 17, rows: 36 },
  { site: 0, path: 'library/stdtypes.html', fences: 30, rows: 40 },
  { site: 1, path: 'datatype-numeric.html', fences: 4, rows: 10 },
  { site: 1, path: 'functions-string.html', fences: 0, rows: 40 },
  { site: 1, path: 'ddl-partitioning.html', fences: 15, rows: 0 },
];

/** Questions about one place of a long page, and what the answer must contain. */
const READS = [
  {
    site: 0,
    path: 'library/subprocess.html',
    q: 'How do I capture the output of a command?',
    answer: /capture_output/,
  },
  { site: 0, path: 'library/csv.html', q: 'How do I read rows as dictionaries?', answer: /DictReader/ },
  {
    site: 0,
    path: 'library/datetime.html',
    q: 'Which directive stands for the month as a zero-padded number?',
    answer: /%m/,
  },
  {
    site: 1,
    path: 'sql-insert.html',
    q: 'update the existing row when there is a conflict',
    answer: /ON CONFLICT DO UPDATE/,
  },
  { site: 1, path: 'runtime-config-resource.html', q: 'how large should shared_buffers be', answer: /25%/ },
  {
    site: 1,
    path: 'transaction-iso.html',
    q: 'What is a phantom read?',
    answer: /set of rows that satisfy a search condition/,
  },
];

/** Checks that POST /v1/contents returns code blocks and tables whole: fences closed, every row as wide as its header. */
export async function printContents(address: string, origins: string[]): Promise<void> {
  console.log('\nContents                       | code blocks | table rows | intact');
  for (const { site, path, fences, rows } of PAGES) {
    const response = await fetch(`${address}/v1/contents`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ urls: [`${origins[site]}/${path}`] }),
    });
    const { results = [] } = (await response.json()) as { results?: { text: string }[] };
    const seen = structure(results[0]?.text ?? '');
    const intact = seen.whole && seen.fences >= fences && seen.rows >= rows;
    console.log(
      `${path.padEnd(30)} | ${String(seen.fences).padStart(11)} | ${String(seen.rows).padStart(10)} | ${intact ? 'yes' : 'NO'}`,
    );
  }
}

function structure(markdown: string): { fences: number; rows: number; whole: boolean } {
  let open: string | null = null;
  let fences = 0;
  let rows = 0;
  let width = 0;
  let whole = true;
  for (const quoted of markdown.split('\n')) {
    const line = quoted.replace(/^(?:\s*>)+ ?/, '');
    const marks = /^\s*(`{3,})/.exec(line)?.[1];
    if (marks !== undefined && (open === null || marks === open)) {
      if (open === null) fences += 1;
      open = open === null ? marks : null;
    } else if (open === null && line.startsWith('|')) {
      const cells = line.replace(/\\\|/g, '').split('|').length;
      if (width !== 0 && cells !== width) whole = false;
      if (!line.endsWith('|')) whole = false;
      width = cells;
      rows += 1;
    } else width = 0;
  }
  return { fences, rows, whole: whole && open === null };
}

/** Checks that GET /r/{url}?q= keeps the part that answers, and measures what it saves. */
export async function printReads(address: string, origins: string[]): Promise<void> {
  console.log('\nRead with a question                                     | answers | saved | tokens');
  for (const { site, path, q, answer } of READS) {
    const target = `${origins[site]}/${path}`;
    const response = await fetch(`${address}/r/${target}?q=${encodeURIComponent(q)}`);
    const text = await response.text();
    const cells = [
      `${path.split('/').at(-1)}: ${q}`.slice(0, 56).padEnd(56),
      answer.test(text) ? 'yes    ' : 'NO     ',
      `${response.headers.get('x-token-savings')} %`.padStart(5),
      `${response.headers.get('x-raw-tokens')} -> ${response.headers.get('x-output-tokens')}`,
    ];
    console.log(cells.join(' | '));
  }
}
