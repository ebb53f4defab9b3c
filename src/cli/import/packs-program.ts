import { styleText } from 'node:util';
import { Command } from 'commander';
import type { Config } from '../../app/config.ts';
import { PACKS } from '../../crawl/import/packs/packs.ts';

const WHICH =
  'a page (https://example.org/page), a host with its subdomains (example.org), or a prefix (https://example.org/docs/*)';

/** The arguments of `sanderling packs ...`; `packs.ts` does the work. */
export function createPacksProgram(settings: () => Config): Command {
  const packs = new Command('packs').description(
    'list good first corpora to import; publish pages as a signed pack, and follow the packs of others',
  );
  packs
    .command('list', { isDefault: true })
    .description('list good first corpora, with size, licence and command (the default)')
    .option('--json', 'print the list as JSON')
    .action(({ json }: { json?: boolean }) => {
      const listed = PACKS.map((pack) => ({ ...pack, command: `sanderling import ${pack.name}` }));
      const text = json ? JSON.stringify(listed, null, 2) : listed.map(formatPack).join('\n\n');
      process.stdout.write(`${text}\n`);
    });
  packs
    .command('publish')
    .description('write the public pages of the index as a signed pack; again: only what has changed')
    .argument('[which...]', `all pages unless named: ${WHICH}`)
    .requiredOption('--to <folder>', 'the folder of the pack, which any web server can serve')
    .option('--name <name>', 'the name of a new pack, such as debian-docs')
    .option('--title <text>', 'its title for people')
    .option('--licence <text>', 'the licence of its pages, unless a page states its own')
    .option('--key <file>', 'the signing key (default: pack-key.pem in DATA_DIR, made when missing)')
    .action(async (which: string[], options) => {
      const { publish } = await import('./packs.ts');
      process.exitCode = await publish(settings(), which, options);
    });
  packs
    .command('subscribe')
    .description('follow a pack, and import its pages')
    .argument('<address>', 'the URL of the pack, or its folder')
    .option('--key <key>', 'the public key that must have signed it')
    .action(async (address: string, options) => {
      const { subscribe } = await import('./packs.ts');
      process.exitCode = await subscribe(settings(), address, options);
    });
  packs
    .command('update')
    .description('import what has changed in the packs that are followed, and forget what was removed')
    .argument('[name]', 'only this pack')
    .action(async (name: string | undefined) => {
      const { update } = await import('./packs.ts');
      process.exitCode = await update(settings(), name);
    });
  packs
    .command('followed')
    .description('list the packs that are followed')
    .option('--json', 'print the list as JSON')
    .action(async (options) => {
      const { listFollowed } = await import('./packs.ts');
      process.exitCode = await listFollowed(settings(), options);
    });
  packs
    .command('unsubscribe')
    .description('no longer follow a pack; its pages stay')
    .argument('<name>', 'the name of the pack')
    .action(async (name: string) => {
      const { unsubscribe } = await import('./packs.ts');
      process.exitCode = await unsubscribe(settings(), name);
    });
  return packs;
}

function formatPack({
  title,
  answers,
  pages,
  bytes,
  licence,
  about,
  command,
}: (typeof PACKS)[number] & { command: string }): string {
  const size = bytes === 0 ? 'nothing to download' : `${(bytes / 1e9).toFixed(1)} GB to download`;
  return [
    styleText('bold', title),
    `  ${command}`,
    `  answers ${answers}; about ${pages.toLocaleString('en')} pages, ${size}`,
    `  licence: ${licence}`,
    `  ${about}`,
  ].join('\n');
}
