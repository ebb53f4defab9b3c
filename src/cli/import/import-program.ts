import { Command, InvalidArgumentError } from 'commander';
import type { Config } from '../../app/config.ts';
import { readColumnMap } from '../../crawl/import/formats/parquet/column-map.ts';
import { wholeNumber } from '../arguments.ts';

const IMPORT_FORMATS = `
Files, told apart by their names:
  .html .htm .xhtml .md .mdx .markdown .txt .text .rst .adoc    one page each; its address is its path below
      --base-url, in the clone of a repository its address there, else file:
  .jsonl .ndjson                   one page per line, a JSON object:
      "url"            required: the address of the page
      "html", "markdown" or "text"   required: its content; the first of these that is there counts
      "title", "publishedDate", "language", "site", "author", "source", "licence"   optional: instead of what the
          content says
      "fetchedAt", "rawChars"        optional: as sanderling index export writes them
  .warc .wet .wat                  every text response with status 200, under its own address
The last two kinds may be compressed (.gz, .zst).

The same command resumes where it was interrupted, at the very record. Pages of more than 5 MB and pages that may not be shared
are left out and named. The exit code is 1 if any page failed.`;

type Options = {
  baseUrl?: string;
  limit?: number;
  hosts?: string[];
  lang?: string[];
  since?: string;
  map?: ReturnType<typeof readColumnMap>;
  source?: string;
  licence?: string;
  keepCopies?: boolean;
  fresh?: boolean;
};

/** `sanderling import`. */
export function importProgram(settings: () => Config): Command {
  return new Command('import')
    .description('import pages into the local index: files, folders and archives')
    .argument('<path>', 'a file, a folder with everything in it, or a pattern such as "shards/*.jsonl"')
    .option(
      '--base-url <url>',
      'the web address of the folder, such as https://docs.example.org/',
      httpAddress,
    )
    .option('--limit <n>', 'maximum number of pages in the whole import', wholeNumber(1))
    .option(
      '--hosts <names>',
      'only pages of these hosts and their subdomains, such as example.org,example.net',
      names,
    )
    .option('--lang <codes>', 'only pages in these languages, such as en,de', names)
    .option('--since <day>', 'only pages that are dated on or after this day (2026-01-31)', day)
    .option(
      '--map <columns>',
      'the columns of a table, such as url=link,title=name,text=abstract+body',
      columns,
    )
    .option('--source <name>', 'the name of the corpus, kept with each page')
    .option('--licence <text>', 'the licence of the corpus, kept with each page')
    .option('--keep-copies', 'import pages that nearly repeat an earlier one too')
    .option('--fresh', 'start over where an earlier run was interrupted')
    .addHelpText('after', IMPORT_FORMATS)
    .action(async (path: string, options: Options) => {
      const { runImport } = await import('./import.ts');
      process.exitCode = await runImport(settings(), orderOf(path, options));
    });
}

function orderOf(path: string, options: Options) {
  const { baseUrl = null, limit = null, hosts = null, lang = null, since = null, map = null } = options;
  const { source, licence = null, keepCopies = false, fresh = false } = options;
  const origin = source === undefined && licence === null ? null : { source: source ?? path, licence };
  return {
    path,
    baseUrl,
    options: { limit, hosts, languages: lang, since, columns: map, origin, keepCopies, fresh },
  };
}

const names = (text: string): string[] =>
  text.split(',').flatMap((name) => (name.trim() === '' ? [] : [name.trim().toLowerCase()]));

function httpAddress(text: string): string {
  if (/^https?:\/\/./.test(text) && URL.canParse(text)) return text;
  throw new InvalidArgumentError('It must be an http(s) address such as https://docs.example.org/.');
}

function day(text: string): string {
  if (/^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text))) return text;
  throw new InvalidArgumentError('It must be a day such as 2026-01-31.');
}

function columns(text: string): ReturnType<typeof readColumnMap> {
  try {
    return readColumnMap(text);
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message);
  }
}
