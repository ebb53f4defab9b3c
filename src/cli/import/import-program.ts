import { existsSync } from 'node:fs';
import { Command, InvalidArgumentError } from 'commander';
import type { Config } from '../../app/config.ts';
import { parseColumnMap } from '../../crawl/import/formats/parquet/column-map.ts';
import { findPack } from '../../crawl/import/packs/packs.ts';
import { createWholeNumberParser } from '../arguments.ts';

const IMPORT_FORMATS = `
Files, told apart by their names; all are read in pieces, whatever their size:
  .parquet                         tables with a column for the address and one for the text; --map names them where their
      names are not usual ones
  .zim                             files for offline use: Wikipedia, Stack Exchange, DevDocs and others
  .warc .wet .wat                  every text response with status 200, under its own address; .gz, .zst
  .xml                             dumps of MediaWiki; .gz, .zst
  Posts.xml                        dumps of Stack Exchange: a page for a question with its answers
  llms-full.txt                    a page for each section that names its address
  .html .htm .xhtml .md .mdx .markdown .txt .text .rst .adoc    one page each; its address is its path below
      --base-url, in the clone of a repository its address there, else file:
  .jsonl .ndjson                   one page per line, a JSON object; .gz, .zst:
      "url"            required: the address of the page
      "html", "markdown" or "text"   required: its content; the first of these that is there counts
      "title", "publishedDate", "language", "site", "author", "source", "licence"   optional: instead of what the
          content says
      "fetchedAt", "rawChars"        optional: as sanderling index export writes them

Addresses: of Parquet and ZIM files only the parts that are needed travel. {000..049} in an address stands for fifty files.
  sanderling import commoncrawl --domain docs.example.org   the pages of a domain in the newest Common Crawl
  sanderling import wikipedia-simple                        a pack; sanderling packs lists them

The same command resumes where it was interrupted, at the very record. Pages of more than 5 MB and pages that may not be shared
are left out and named. The exit code is 1 if any page failed.`;

type Options = {
  domain?: string;
  baseUrl?: string;
  limit?: number;
  hosts?: string[];
  lang?: string[];
  since?: string;
  map?: ReturnType<typeof parseColumnMap>;
  source?: string;
  licence?: string;
  keepCopies?: boolean;
  fresh?: boolean;
};

/** `sanderling import`. */
export function createImportProgram(settings: () => Config): Command {
  return new Command('import')
    .description('import pages into the local index: files, folders and archives')
    .argument(
      '<what>',
      'a file, a folder with everything in it, a pattern such as "shards/*.parquet", an http(s) address, a pack, or commoncrawl',
    )
    .option(
      '--base-url <url>',
      'the web address of the folder, such as https://docs.example.org/',
      parseHttpAddress,
    )
    .option('--domain <name>', 'with commoncrawl: the domain whose pages to import', parseDomain)
    .option('--limit <n>', 'maximum number of pages in the whole import', createWholeNumberParser(1))
    .option(
      '--hosts <names>',
      'only pages of these hosts and their subdomains, such as example.org,example.net',
      parseNames,
    )
    .option('--lang <codes>', 'only pages in these languages, such as en,de', parseNames)
    .option('--since <day>', 'only pages that are dated on or after this day (2026-01-31)', parseDay)
    .option(
      '--map <columns>',
      'the columns of a table, such as url=link,title=name,text=abstract+body',
      parseColumns,
    )
    .option('--source <name>', 'the name of the corpus, kept with each page')
    .option('--licence <text>', 'the licence of the corpus, kept with each page')
    .option('--keep-copies', 'import pages that nearly repeat an earlier one too')
    .option('--fresh', 'start over where an earlier run was interrupted')
    .addHelpText('after', IMPORT_FORMATS)
    .action(async (what: string, options: Options) => {
      const { runImport } = await import('./import.ts');
      process.exitCode = await runImport(settings(), buildImportOrder(what, options));
    });
}

function buildImportOrder(what: string, options: Options) {
  const pack = existsSync(what) ? null : findPack(what);
  if (what === 'commoncrawl' && options.domain === undefined)
    throw new Error('commoncrawl needs --domain, such as --domain docs.example.org');
  const path = pack?.path ?? (what === 'commoncrawl' ? `commoncrawl:${options.domain}` : what);
  const {
    baseUrl = pack?.baseUrl ?? null,
    limit = null,
    hosts = null,
    lang = null,
    since = null,
    map = null,
  } = options;
  const { source, licence = null, keepCopies = false, fresh = false } = options;
  const stated = source === undefined && licence === null ? null : { source: source ?? path, licence };
  const origin = stated ?? (pack === null ? null : { source: pack.title, licence: pack.licence });
  return {
    path,
    baseUrl,
    options: { limit, hosts, languages: lang, since, columns: map, origin, keepCopies, fresh },
  };
}

const parseNames = (text: string): string[] =>
  text.split(',').flatMap((name) => (name.trim() === '' ? [] : [name.trim().toLowerCase()]));

function parseDomain(text: string): string {
  const host = URL.parse(`http://${text}`)?.hostname;
  if (host === text.toLowerCase() && host.includes('.')) return host;
  throw new InvalidArgumentError('It must be a domain such as docs.example.org.');
}

function parseHttpAddress(text: string): string {
  if (/^https?:\/\/./.test(text) && URL.canParse(text)) return text;
  throw new InvalidArgumentError('It must be an http(s) address such as https://docs.example.org/.');
}

function parseDay(text: string): string {
  if (/^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text))) return text;
  throw new InvalidArgumentError('It must be a day such as 2026-01-31.');
}

function parseColumns(text: string): ReturnType<typeof parseColumnMap> {
  try {
    return parseColumnMap(text);
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message);
  }
}
