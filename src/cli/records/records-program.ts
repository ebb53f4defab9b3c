import { Command } from 'commander';
import type { Config } from '../../app/config.ts';
import { readServer, type ServerOptions } from '../call-server.ts';

type Environment = { readonly [name: string]: string | undefined };

/** The arguments of `sanderling records ...`; `records.ts` does the work. */
export function createRecordsProgram({
  config: settings,
  env,
}: {
  config: () => Config;
  env: Environment;
}): Command {
  const records = new Command('records').description('replay, compare, export and import recorded research');
  const readOptions = (options: ServerOptions) => readServer(options, env.SANDERLING_API_KEY);
  const addCommand = (name: string, about: string): Command =>
    records
      .command(name)
      .description(about)
      .option('--url <url>', 'the server that keeps the records', 'http://localhost:8080')
      .option('--key <key>', 'API key that owns the records (default: SANDERLING_API_KEY)');
  addCommand('list', 'list what is recorded').action(async (options: ServerOptions) => {
    const { listRecords } = await import('./records.ts');
    process.exitCode = await listRecords(settings(), readOptions(options));
  });
  addCommand('show', 'replay a record and say what has changed since')
    .argument('<id>')
    .option('--json', 'print the record as JSON')
    .action(async (id: string, { json = false, ...options }: ServerOptions & { json?: boolean }) => {
      const { showRecord } = await import('./records.ts');
      process.exitCode = await showRecord(settings(), readOptions(options), { id, json });
    });
  addCommand('export', 'write a record into a file that another server imports')
    .argument('<id>')
    .argument('[file]', 'default: the id with .tar')
    .action(async (id: string, file: string | undefined, options: ServerOptions) => {
      const { exportRecord } = await import('./records.ts');
      process.exitCode = await exportRecord(settings(), readOptions(options), {
        id,
        file: file ?? `${id}.tar`,
      });
    });
  addCommand('import', 'check a file and add its record')
    .argument('<file>')
    .action(async (file: string, options: ServerOptions) => {
      const { importRecord } = await import('./records.ts');
      process.exitCode = await importRecord(settings(), readOptions(options), file);
    });
  addCommand('rerun', 'run a record again and say what differs; costs as much as the recorded call')
    .argument('<id>')
    .action(async (id: string, options: ServerOptions) => {
      const { rerunRecord } = await import('./records.ts');
      process.exitCode = await rerunRecord(settings(), readOptions(options), id);
    });
  return records;
}
