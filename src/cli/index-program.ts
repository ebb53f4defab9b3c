import { Command, InvalidArgumentError } from 'commander';
import type { Config } from '../app/config.ts';

const LIST_MAX = 100_000;
const HOSTS_MAX = 10_000;
const LIST_DEFAULT = 100;
const REFRESH_MAX = 1_000_000;
const REFRESH_DEFAULT = 1_000;
const RATE_MAX = 100_000;

const WHICH =
  'a page (https://example.org/page), a host with its subdomains (example.org), or a prefix (https://example.org/docs/*)';

/** The arguments of `sanderling index ...`; `index-commands.ts` does the work. */
export function createIndexProgram(settings: () => Config): Command {
  const index = new Command('index').description(
    'show, refresh, export, forget, check, rank, rebuild and move what the local index holds (for the operator)',
  );
  const addCommand = (name: string, description: string): Command =>
    index.command(name).description(description);

  addCommand('stats', 'show pages, hosts, bytes, ages and languages')
    .option('--json', 'print the answer as JSON')
    .action(async (options) => {
      const { showStats } = await import('./index-commands.ts');
      process.exitCode = await showStats(settings(), options);
    });
  addCommand('list', 'list pages in the order of their addresses')
    .argument('[which]', WHICH)
    .option('--recent', 'list those that were fetched last, the newest first')
    .option('-n, --limit <n>', 'maximum number of pages', createWholeNumberParser(LIST_MAX), LIST_DEFAULT)
    .option('--json', 'print the answer as JSON')
    .action(async (which: string | undefined, options) => {
      const { listPages } = await import('./index-commands.ts');
      process.exitCode = await listPages(settings(), which, options);
    });
  addCommand('forget', 'delete pages from the index and every cache, of running servers too')
    .argument('<which>', WHICH)
    .option('--dry-run', 'only list the pages of the index that would be deleted')
    .option('--json', 'print the answer as JSON')
    .action(async (which: string, options) => {
      const { forgetPages } = await import('./index-commands.ts');
      process.exitCode = await forgetPages(settings(), which, options);
    });
  addCommand('refresh', 'read pages again whose next visit is due, those that change often more often')
    .argument('[which]', `read these again, due or not: ${WHICH}`)
    .option(
      '-n, --pages <n>',
      'maximum number of pages',
      createWholeNumberParser(REFRESH_MAX),
      REFRESH_DEFAULT,
    )
    .option('--json', 'print the answer as JSON')
    .action(async (which: string | undefined, options) => {
      const { refreshIndex } = await import('./index-commands.ts');
      process.exitCode = await refreshIndex(settings(), which, options);
    });
  addCommand('export', 'print pages as JSON lines, which sanderling import reads')
    .argument('[which]', WHICH)
    .action(async (which: string | undefined) => {
      const { exportPages } = await import('./index-commands.ts');
      process.exitCode = await exportPages(settings(), which);
    });
  addCommand('check', 'read the whole index and compare it with its checksums; 1 if something is damaged')
    .option('--json', 'print the answer as JSON')
    .action(async (options) => {
      const { checkIndex } = await import('./index-commands.ts');
      process.exitCode = await checkIndex(settings(), options);
    });
  addCommand('rebuild', 'build the index again from the pages in it; stop the server first').action(
    async () => {
      const { rebuildIndex } = await import('./index-commands.ts');
      process.exitCode = await rebuildIndex(settings());
    },
  );
  addHosts(addCommand, settings);
  addMove(addCommand, settings);
  return index;
}

function addHosts(command: (name: string, description: string) => Command, settings: () => Config): void {
  command('rank', 'rank hosts by the links between them and by what their pages are like')
    .option('--json', 'print the answer as JSON')
    .action(async (options) => {
      const { rankIndex } = await import('./index-hosts.ts');
      process.exitCode = await rankIndex(settings(), options);
    });
  command('hosts', 'show how hosts stand by the last ranking')
    .option('--damped', 'only those that come later in results, and why')
    .option('-n, --limit <n>', 'maximum number of hosts', createWholeNumberParser(HOSTS_MAX), LIST_DEFAULT)
    .option('--json', 'print the answer as JSON')
    .action(async (options) => {
      const { showHosts } = await import('./index-hosts.ts');
      process.exitCode = await showHosts(settings(), options);
    });
}

function addMove(command: (name: string, description: string) => Command, settings: () => Config): void {
  command(
    'move',
    'copy an index to another place, compare both, and switch over; goes on where it was stopped',
  )
    .argument('<from>', 'the path of an index file, or the address of a cluster')
    .argument('<to>', 'the same')
    .option('--rate <n>', 'pages a second at most', createWholeNumberParser(RATE_MAX))
    .action(async (from: string, to: string, { rate = null }: { rate?: number | null }) => {
      const { moveIndex } = await import('./move/move-index.ts');
      process.exitCode = await moveIndex(settings(), { from, to, rate });
    });
}

function createWholeNumberParser(max: number): (text: string) => number {
  return (text) => {
    const number = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
    if (number >= 1 && number <= max) return number;
    throw new InvalidArgumentError(`It must be a whole number from 1 to ${max}.`);
  };
}
