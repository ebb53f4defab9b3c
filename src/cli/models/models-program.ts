import { Command } from 'commander';
import type { Config } from '../../app/config.ts';

/** The arguments of `sanderling models ...`; `models.ts` does the work. */
export function createModelsProgram(settings: () => Config): Command {
  const models = new Command('models').description(
    'list, install and remove optional models for meanings and reranking (for the operator)',
  );
  models
    .command('list', { isDefault: true })
    .description('list the models that can be installed, and those that are')
    .option('--json', 'print the answer as JSON')
    .action(async (options) => {
      const { listModels } = await import('./models.ts');
      process.exitCode = listModels(settings(), options);
    });
  models
    .command('install')
    .description('fetch a model and check its SHA-256; or install one of your own, from a file or an address')
    .argument('<name>', 'a name of the list, or a new one')
    .option('--file <path>', 'a zip archive on this machine')
    .option('--url <address>', 'another address of the zip archive, such as a mirror')
    .option('--sha256 <hex>', 'what a model that is not in the list must have')
    .action(async (name: string, options) => {
      const { runInstall } = await import('./models.ts');
      process.exitCode = await runInstall(settings(), name, options);
    });
  models
    .command('remove')
    .description('delete an installed model')
    .argument('<name>')
    .action(async (name: string) => {
      const { runRemove } = await import('./models.ts');
      process.exitCode = runRemove(settings(), name);
    });
  return models;
}
