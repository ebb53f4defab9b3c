import { existsSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { Command, InvalidArgumentError } from 'commander';
import { ConfigError, readConfig } from './app/config.ts';
import { keysProgram } from './cli/keys-program.ts';
import { Failure, StoreUnavailable } from './contract/errors.ts';

/** The command line: arguments -> settings -> one command. The commands load their parts themselves. */
const program = new Command('sanderling')
  .description('Reads web pages as Markdown, crawls sites into an index of your own and searches it.')
  .showHelpAfterError()
  .addHelpText(
    'after',
    '\nSettings come from the environment and from .env; .env.example tells all of them.',
  );

program
  .command('serve')
  .description('serve the HTTP interface (the same as npm start)')
  .action(async () => {
    const { serve } = await import('./app/serve.ts');
    await serve(settings());
  });

program
  .command('crawl')
  .description('crawl the sites of some addresses into the index; goes on where an interrupted crawl stopped')
  .argument('<url...>', 'start addresses; their hosts are the sites that are crawled')
  .option('--pages <n>', 'pages of the whole crawl at most', wholeNumber, 1_000)
  .option('--depth <n>', 'links from a start address at most', wholeNumber)
  .option('--within-path', 'stay at or below the folders of the start addresses')
  .option(
    '--delay <ms>',
    'milliseconds between two requests to one host (default: 200 on the public web)',
    wholeNumber,
  )
  .option('--fresh', 'begin anew and read every page from its origin')
  .action(async (urls: string[], options) => {
    const { runCrawl } = await import('./cli/crawl.ts');
    process.exitCode = await runCrawl(quietSettings(), urls, options);
  });

program
  .command('import')
  .description('take pages into the index: HTML, Markdown and text files, JSONL of pages, WARC')
  .argument('<path>', 'a file, or a folder with all below it')
  .option('--base-url <url>', 'the address that the folder stands for, such as https://docs.example.org/')
  .action(async (path: string, options) => {
    const { runImport } = await import('./cli/import.ts');
    process.exitCode = await runImport(quietSettings(), path, options);
  });

program
  .command('search')
  .description('search the index')
  .argument('<query...>')
  .option('-n, --results <n>', 'results at most', wholeNumber, 5)
  .option('--json', 'print the answer as JSON')
  .action(async (query: string[], options) => {
    const { runSearch } = await import('./cli/search.ts');
    process.exitCode = await runSearch(quietSettings(), query.join(' '), options);
  });

program
  .command('read')
  .description('print a page as Markdown')
  .argument('<url>')
  .option('-q, --question <text>', 'print only what bears on this question')
  .action(async (url: string, options) => {
    const { runRead } = await import('./cli/read.ts');
    process.exitCode = await runRead(quietSettings(), url, options);
  });

program.addCommand(keysProgram(quietSettings));

program
  .command('mcp')
  .description('serve the tools for agents (MCP) over standard input and output')
  .option('--url <url>', 'hand everything to the server at this address instead of answering from here')
  .option('--key <key>', 'the API key that pays (default: SANDERLING_API_KEY; without one: free requests)')
  .option('--tools <names>', 'only these tools, such as search,read')
  .action(async ({ key, ...options }) => {
    const { runMcp } = await import('./cli/mcp.ts');
    await runMcp(quietSettings(), { key: key ?? process.env.SANDERLING_API_KEY, ...options });
  });

program
  .command('doctor')
  .description('check the installation and say what to do')
  .option('--ledger', 'hold the books of keys and credits to their promises, every entry of them')
  .action(async ({ ledger }: { ledger?: boolean }) => {
    if (ledger) {
      const { runDoctorLedger } = await import('./cli/doctor-ledger.ts');
      process.exitCode = await runDoctorLedger(quietSettings());
      return;
    }
    const { runDoctor } = await import('./cli/doctor.ts');
    process.exitCode = await runDoctor(process.env);
  });

program
  .command('demo')
  .description('crawl the documentation of the installed packages on loopback and ask it five questions')
  .action(async () => {
    const { runDemo } = await import('./cli/demo.ts');
    process.exitCode = await runDemo();
  });

enableCompileCache();
if (existsSync('.env')) process.loadEnvFile('.env');
try {
  await program.parseAsync();
} catch (error) {
  process.stderr.write(`${worded(error)}\n`);
  process.exitCode = 1;
}

function settings(): ReturnType<typeof readConfig> {
  return readConfig(process.env);
}

/** Commands that print for people log warnings only, unless they are told otherwise. */
function quietSettings(): ReturnType<typeof readConfig> {
  return readConfig({ ...process.env, LOG_LEVEL: process.env.LOG_LEVEL || 'warn' });
}

function wholeNumber(text: string): number {
  const number = Number(text);
  if (!Number.isInteger(number) || number < 0) throw new InvalidArgumentError('It must be a whole number.');
  return number;
}

/** What the user can mend is one line; all else is a defect and shows where it is. */
function worded(error: unknown): string {
  if (error instanceof ConfigError) return error.message.replace(/^/gm, 'Setting ');
  if (error instanceof StoreUnavailable && error.cause instanceof Error)
    return `The store failed: ${error.cause.message}`;
  if (error instanceof Failure) return `${error.code}: ${error.message}`;
  if (!(error instanceof Error)) return String(error);
  return 'code' in error && 'syscall' in error ? error.message : String(error.stack);
}
