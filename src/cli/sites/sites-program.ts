import { Command } from 'commander';
import type { Config } from '../../app/config.ts';
import type { AddSiteOptions, OwnerOptions } from './sites.ts';

/** The arguments of `sanderling sites ...`; `sites.ts` does the work. */
export function createSitesProgram(settings: () => Config): Command {
  const sites = new Command('sites').description(
    'sign-in profiles for pages behind a login, and the collections of what was read with them (for the operator)',
  );
  const addCommand = (name: string, about: string): Command =>
    sites
      .command(name)
      .description(about)
      .option('--owner-key <id>', 'of the key with this id instead of the operator')
      .option('--json', 'print the answer as JSON');
  const collect = (one: string, before: string[]): string[] => [...before, one];
  addCommand('add', 'add a profile, or replace the one of this name; @file reads a value from a file')
    .argument('<name>', 'how you call it, such as intranet')
    .argument('<hosts...>', 'the hosts that get the credentials, by HTTPS unless http:// is written')
    .option('--header <header>', 'such as "Authorization: Basic ..."; may be repeated', collect, [])
    .option('--cookies <file>', 'a cookies.txt')
    .option('--form <url>', 'the page with the sign-in form')
    .option('--field <name=value>', 'a field of the form; may be repeated', collect, [])
    .option('--token <token>', 'a token')
    .option('--service <service>', 'what the token is for: bearer, confluence, github or gitlab')
    .option('--user <email>', 'the user beside the token, for Confluence in the cloud')
    .option('--collection <name>', 'where pages are filed (default: the name)')
    .action(async (name: string, hosts: string[], options: AddSiteOptions) => {
      const { addSite } = await import('./sites.ts');
      process.exitCode = await addSite(settings(), { name, hosts }, options);
    });
  addCommand('list', 'list the profiles and collections').action(async (options: OwnerOptions) => {
    const { listSites } = await import('./sites.ts');
    process.exitCode = await listSites(settings(), null, options);
  });
  addCommand('show', 'show one profile, without its credentials')
    .argument('<name>')
    .action(async (name: string, options: OwnerOptions) => {
      const { listSites } = await import('./sites.ts');
      process.exitCode = await listSites(settings(), name, options);
    });
  addCommand('share', 'set the keys that may search a collection; none: nobody but its owner')
    .argument('<collection>')
    .argument('[ids...]', 'ids of keys')
    .action(async (collection: string, ids: string[], options: OwnerOptions) => {
      const { shareCollection } = await import('./sites.ts');
      process.exitCode = await shareCollection(settings(), { collection, ids }, options);
    });
  addCommand('remove', 'delete a profile with its credentials')
    .argument('<name>')
    .option('--pages', 'delete the collection of this name too, and its pages everywhere')
    .action(async (name: string, options: OwnerOptions & { pages?: boolean }) => {
      const { removeSite } = await import('./sites.ts');
      process.exitCode = await removeSite(settings(), name, options);
    });
  return sites;
}
