/**
 * Commands of the operator (`sources`, `payments`, `settings`): they open the stores of a server that may be running, print tables or JSON,
 * and say what to do about what they find.
 */
import { Command } from 'commander';
import type { Config } from '../../app/config.ts';

const AS_JSON: [string, string] = ['--json', 'print the answer as JSON'];

/** The arguments of `sanderling sources ...`; `sources.ts` does the work. */
export function createSourcesProgram(settings: () => Config): Command {
  const sources = new Command('sources').description(
    'show the search sources and switch them (for the operator)',
  );
  sources
    .command('list', { isDefault: true })
    .description('list the sources with their figures in the running server')
    .option(...AS_JSON)
    .action(async (options) => {
      const { listSources } = await import('./sources.ts');
      process.exitCode = await listSources(settings(), options);
    });
  for (const state of ['on', 'off'] as const)
    sources
      .command(state)
      .description(`switch a source ${state}; running servers notice within seconds, and it stays so`)
      .argument('<name>', 'the name of a configured source')
      .action(async (name: string) => {
        const { switchSource } = await import('./sources.ts');
        process.exitCode = await switchSource(settings(), name, state);
      });
  return sources;
}

/** The arguments of `sanderling payments ...`; `payments.ts` does the work. */
export function createPaymentsProgram(settings: () => Config): Command {
  const payments = new Command('payments').description(
    'show what is open or does not match, and ask the provider (for the operator)',
  );
  payments
    .command('list', { isDefault: true })
    .description('list sales, mismatches, disputes and events that wait; 1 if there is something to look at')
    .option(...AS_JSON)
    .action(async (options) => {
      const { listPayments } = await import('./payments.ts');
      process.exitCode = await listPayments(settings(), options);
    });
  payments
    .command('ask')
    .description('ask the payment provider for what it has not told, and handle the events that wait')
    .action(async () => {
      const { askProvider } = await import('./payments.ts');
      process.exitCode = await askProvider(settings());
    });
  return payments;
}

/** The arguments of `sanderling settings`. */
export function createSettingsProgram(settings: () => Config): Command {
  return new Command('settings')
    .description('list the settings in force and where they come from, without secrets')
    .option(...AS_JSON)
    .action(({ json }: { json?: boolean }) => {
      const { inForce } = settings();
      const width = Math.max(...inForce.map(({ name }) => name.length));
      const lines = inForce.map(({ name, value, from }) => `${name.padEnd(width)}  ${value}  (${from})`);
      process.stdout.write(`${json ? JSON.stringify(inForce, null, 2) : lines.join('\n')}\n`);
    });
}
