/**
 * Entry point of the command line `sanderling`: parses arguments, reads the settings and runs one command.
 * Each command is loaded only when it runs; the commands are in `cli/`.
 */
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { Argument, Command, Option } from 'commander';
import { readConfig } from './app/config.ts';
import {
  buildServeOptions,
  ROLES,
  type Role,
  WORKER_KINDS,
  WORKERS_MAX,
  type WorkerKind,
} from './app/workers/supervisor.ts';
import { createWholeNumberParser, toWebAddress } from './cli/arguments.ts';
import { createDocsProgram } from './cli/docs/docs-program.ts';
import { describeError, endOnClosedPipe } from './cli/failure-messages.ts';
import { createImportProgram } from './cli/import/import-program.ts';
import { createPacksProgram } from './cli/import/packs-program.ts';
import { createIndexProgram } from './cli/index-program.ts';
import { createKeysProgram } from './cli/keys/keys-program.ts';
import { createModelsProgram } from './cli/models/models-program.ts';
import {
  createPaymentsProgram,
  createSettingsProgram,
  createSourcesProgram,
} from './cli/operator/operator-program.ts';
import { createRecordsProgram } from './cli/records/records-program.ts';
import { CLIENT_NAMES, type ClientName } from './cli/setup/clients.ts';
import { createSitesProgram } from './cli/sites/sites-program.ts';
import { createWatchProgram } from './cli/watch/watch-program.ts';
import { VERSION } from './contract/version.ts';

const program = new Command('sanderling')
  .description('Reads web pages as Markdown, crawls sites into a local index and searches it.')
  .version(VERSION, '-V, --version', 'print the version')
  .showHelpAfterError()
  .addHelpText('after', '\nSettings come from the environment and from .env; .env.example lists them all.');

program
  .command('serve')
  .description('start the HTTP server (same as npm start)')
  .addOption(
    new Option('--role <role>', 'answer calls (api), work on crawls and batches (crawl), or both (all)')
      .choices(ROLES)
      .default('all'),
  )
  .option(
    '--workers <n>',
    'processes that share the port; more than one need DATABASE_URL',
    createWholeNumberParser(1, WORKERS_MAX),
    1,
  )
  .addOption(new Option('--worker <kind>').choices(WORKER_KINDS).hideHelp())
  .action(async ({ worker, ...options }: { role: Role; workers: number; worker?: WorkerKind }) => {
    const { serve } = await import('./app/serve.ts');
    await serve(readSettings(), buildServeOptions(worker, options));
  });

program
  .command('render')
  .description('start the process with a browser, which renders pages for a server (RENDER_URL)')
  .action(async () => {
    const { runRender } = await import('./cli/render/render.ts');
    await runRender(readSettings());
  });

program
  .command('crawl')
  .description('crawl sites into the local index, or resume an interrupted crawl')
  .argument('[url...]', 'where to start; the crawl stays on the hosts of these addresses')
  .option('--seeds <file>', 'a file of further start addresses, one on each line')
  .option(
    '--hosts <n>',
    'follow links to other hosts too, until there are so many',
    createWholeNumberParser(1),
  )
  .option('--host-urls <n>', 'maximum number of addresses of one host', createWholeNumberParser(1))
  .option('--pages <n>', 'maximum number of pages in the whole crawl', createWholeNumberParser(1), 1_000)
  .option(
    '--depth <n>',
    'maximum number of links from a start address (default: no limit)',
    createWholeNumberParser(0),
  )
  .option('--within-path', 'stay in the folders of the start addresses')
  .option(
    '--delay <ms>',
    'milliseconds between requests to the same host (default: 200 on the public web)',
    createWholeNumberParser(0),
  )
  .option('--fresh', 'start over and fetch every page again, also those that sitemaps say are unchanged')
  .action(async (urls: string[], options) => {
    const { runCrawl } = await import('./cli/crawl.ts');
    process.exitCode = await runCrawl(readQuietSettings(), urls, options);
  });

program.addCommand(createImportProgram(readQuietSettings));
program.addCommand(createPacksProgram(readQuietSettings));
program.addCommand(createDocsProgram({ config: readQuietSettings, env: process.env }));

program
  .command('search')
  .description('search the local index and the configured sources')
  .argument('<query...>')
  .option(
    '-n, --results <n>',
    'number of results (default: 5, of which at most 3 weak ones)',
    createWholeNumberParser(1),
  )
  .option('--json', 'print the answer as JSON')
  .action(async (query: string[], options) => {
    const { runSearch } = await import('./cli/search.ts');
    process.exitCode = await runSearch(readQuietSettings(), query.join(' '), options);
  });

program
  .command('ask')
  .description('answer a question with a quotation from the local index and the configured sources')
  .argument('<question...>')
  .option('--url <url>', 'ask the server at this address')
  .option(
    '--key <key>',
    'with --url: API key to charge (default: SANDERLING_API_KEY, else the free requests)',
  )
  .action(async (question: string[], { url, key = process.env.SANDERLING_API_KEY }) => {
    const { runAsk } = await import('./cli/ask.ts');
    const options = url === undefined ? {} : { url: toWebAddress(url), key };
    process.exitCode = await runAsk(readQuietSettings(), question.join(' '), options);
  });

program.addCommand(createSitesProgram(readQuietSettings));
program.addCommand(createWatchProgram({ config: readQuietSettings, env: process.env }));
program.addCommand(createRecordsProgram({ config: readQuietSettings, env: process.env }));

program
  .command('read')
  .description('print a page as Markdown')
  .argument('<url>')
  .option('-q, --question <text>', 'print only the passages relevant to this question')
  .option('--why', 'say for each block of the page (or of an HTML file) whether it is kept, and why')
  .option('--json', 'with --why: print the blocks as JSON')
  .action(async (url: string, { why, json = false, ...options }) => {
    if (why) {
      const { runWhy } = await import('./cli/read/read.ts');
      process.exitCode = await runWhy(readQuietSettings(), url, { toUrl: toWebAddress, json });
      return;
    }
    const { runRead } = await import('./cli/read/read.ts');
    process.exitCode = await runRead(readQuietSettings(), toWebAddress(url), options);
  });

program
  .command('versions')
  .description('list the kept versions of a page, print one, or say what has changed')
  .argument('<url>')
  .option('--at <instant>', 'print the page as it was then: 2026-11-28T10:20:30Z, or a day')
  .option('--changes', 'say how the last two versions differ')
  .option('--lines', 'print how they differ line by line, as a unified diff')
  .option('--json', 'print the list or the changes as JSON')
  .action(async (url: string, options) => {
    const { runVersions } = await import('./cli/versions.ts');
    process.exitCode = await runVersions(readQuietSettings(), toWebAddress(url), options);
  });

program.addCommand(createKeysProgram(readQuietSettings));
program.addCommand(createIndexProgram(readQuietSettings));
program.addCommand(createSourcesProgram(readQuietSettings));
program.addCommand(createModelsProgram(readQuietSettings));
program.addCommand(createPaymentsProgram(readQuietSettings));
program.addCommand(createSettingsProgram(readSettings));

program
  .command('setup')
  .description(
    'enter the server into the settings of coding agents and give them its skill; shows each change first',
  )
  .addArgument(
    new Argument('[client...]', 'which clients (default: those that are installed here)').choices(
      CLIENT_NAMES,
    ),
  )
  .option('--url <url>', 'address of the server (default: the local one)', toWebAddress)
  .option(
    '--key <key>',
    'API key that the clients send (default: SANDERLING_API_KEY, else the free requests)',
  )
  .option('--stdio', 'let the clients start the command; without --url it answers from the index here')
  .option('--project', 'write into the settings of the project in this folder')
  .option('--agents-md', 'add a paragraph to AGENTS.md in this folder')
  .option('--remove', 'undo what setup has written')
  .option('-y, --yes', 'write without asking')
  .action(async (names: ClientName[], options) => {
    const { runSetup } = await import('./cli/setup/setup.ts');
    const place = { home: homedir(), platform: process.platform, variables: process.env };
    const surroundings = { place, folder: process.cwd(), program: process.argv[1] ?? '' };
    // A project's files are shared.
    const key = options.project ? options.key : (options.key ?? process.env.SANDERLING_API_KEY);
    process.exitCode = await runSetup(readQuietSettings(), names, { ...options, key }, surroundings);
  });

program
  .command('mcp')
  .description('serve the tools for agents (MCP) over stdin and stdout')
  .option('--url <url>', 'forward everything to the server at this address')
  .option('--key <key>', 'API key to charge (default: SANDERLING_API_KEY, else the free requests)')
  .option('--tools <names>', 'offer only these tools, such as search,read')
  .action(async ({ key, ...options }) => {
    const { runMcp } = await import('./cli/mcp.ts');
    await runMcp(readQuietSettings(), { key: key ?? process.env.SANDERLING_API_KEY, ...options });
  });

program
  .command('backup')
  .description('copy all data into a new folder, while a server runs')
  .argument('<folder>', 'a folder that does not exist yet')
  .option('--without-ledger', 'where the ledger is in PostgreSQL: copy everything else')
  .action(async (folder: string, options) => {
    const { runBackup } = await import('./cli/backup/backup.ts');
    process.exitCode = await runBackup(readQuietSettings(), folder, options);
  });

program
  .command('restore')
  .description('put a backup into the data folder; stop the server first')
  .argument('<folder>', 'a folder that sanderling backup made')
  .option('--force', 'replace the data that is there; it is kept in a folder beside')
  .action(async (folder: string, options) => {
    const { runRestore } = await import('./cli/backup/backup.ts');
    process.exitCode = await runRestore(readQuietSettings(), folder, options);
  });

program
  .command('doctor')
  .description('check the installation and say what to fix')
  .option('--ledger', 'audit the ledger: check every entry of every key')
  .option('--json', 'print the checks as JSON')
  .action(async ({ ledger, json = false }: { ledger?: boolean; json?: boolean }) => {
    if (ledger) {
      const { runDoctorLedger } = await import('./cli/doctor/doctor-ledger.ts');
      process.exitCode = await runDoctorLedger(readQuietSettings(), { json });
      return;
    }
    const { runDoctor } = await import('./cli/doctor/doctor.ts');
    process.exitCode = await runDoctor(process.env, { json });
  });

program
  .command('demo')
  .description('crawl the documentation of the installed packages, offline, and ask it five questions')
  .action(async () => {
    const { runDemo } = await import('./cli/demo.ts');
    process.exitCode = await runDemo();
  });

endOnClosedPipe();
const inFile = loadSettingsFile();
try {
  await program.parseAsync();
} catch (error) {
  process.stderr.write(`${describeError(error)}\n`);
  process.exitCode = 1;
}

function readSettings(): ReturnType<typeof readConfig> {
  return readConfig(process.env, inFile);
}

/** Reads the settings for commands that print for people: they log only warnings, unless LOG_LEVEL is set. */
function readQuietSettings(): ReturnType<typeof readConfig> {
  return readConfig({ ...process.env, LOG_LEVEL: process.env.LOG_LEVEL || 'warn' }, inFile);
}

/** Loads `.env`, if it exists, into the environment; existing variables win. Returns the names that it set. */
function loadSettingsFile(): ReadonlySet<string> {
  const before = new Set(Object.keys(process.env));
  if (existsSync('.env')) process.loadEnvFile('.env');
  return new Set(Object.keys(process.env).filter((name) => !before.has(name)));
}
