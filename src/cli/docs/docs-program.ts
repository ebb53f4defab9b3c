/**
 * The commands of `sanderling docs`: what they take and what they say of themselves. The other files do the work and are loaded by the
 * command that needs them, so that no other command pays for them.
 */
import { Command, InvalidArgumentError } from 'commander';
import type { Config } from '../../app/config.ts';
import { DOCS_TOKENS_DEFAULT, DOCS_TOKENS_MAX, DOCS_TOKENS_MIN } from '../../contract/limits.ts';
import { LIBRARY_PAGE_KINDS, type LibraryPageKind } from '../../libraries/library-types.ts';
import { createWholeNumberParser } from '../arguments.ts';
import type { AskOptions } from './ask-docs.ts';
import type { AddOptions, SourceOptions } from './docs-commands.ts';

const WHAT = `
What can be added:
  .  a folder  a lock file         the direct dependencies of a project, at the versions of its lock file:
      package-lock.json, pnpm-lock.yaml, yarn.lock, bun.lock, requirements*.txt, uv.lock, poetry.lock, Pipfile.lock,
      pyproject.toml, Cargo.lock, go.mod, pom.xml, gradle.lockfile, composer.lock, Gemfile.lock, pubspec.lock
  npm:fastify@5  pypi:django  crates:tokio@1.40  go:golang.org/x/net  maven:group:artifact  gem:rails
  composer:monolog/monolog  pub:http          one package; without a version the newest
  git:https://github.com/owner/name#v1.2:docs     a folder of a repository at a tag
  https://example.org/llms-full.txt               the whole documentation of a site in one file
  https://docs.example.org/guide/                 a site, at and below that path
  a folder of Markdown

Registries are asked where .npmrc, pip.conf, CARGO_HOME/config.toml, GOPROXY and settings.xml say. The exit code is 1 if a library
failed. An interrupted command is continued by the next one.`;

/** The environment is passed in, because the settings of package clients stand there. */
type Settings = { config: () => Config; env: Readonly<Record<string, string | undefined>> };

const NAME = 'such as fastify, npm:fastify or fastify@5.1.0';

/** `sanderling docs ...`; `docs-commands.ts` does the work. */
export function createDocsProgram({ config, env }: Settings): Command {
  const docs = new Command('docs').description(
    'hold the documentation of the libraries that your projects depend on, at their exact versions',
  );
  const addCommand = (name: string, description: string): Command =>
    docs
      .command(name)
      .description(description)
      .option(
        '--registry <ecosystem=url>',
        'another registry, such as npm=https://npm.example.org (repeatable)',
        collectValues,
        [],
      )
      .option(
        '--trust-host <host>',
        'a further host that may have a private address, such as one that serves archives (repeatable)',
        collectValues,
        [],
      )
      .option('--no-api', 'without the API reference that is made from source code')
      .option('--offline', 'ask nobody: what is held counts, and what is not is named');
  addCommand('add', 'add the libraries of projects, or single ones')
    .argument('<what...>', 'a project, packages, addresses or folders')
    .option('--all', 'dependencies of dependencies too')
    .option('--dev', 'dependencies for development too')
    .option('--only <names>', 'only these, such as fastify,@fastify/*', splitNames)
    .option('--skip <names>', 'all but these', splitNames)
    .option(
      '--for <key>',
      'only for this key, or the id of one, and whoever uses the server unmetered (repeatable)',
      collectValues,
      [],
    )
    .addHelpText('after', WHAT)
    .action(async (what: string[], options: AddOptions) => {
      const { addDocs } = await import('./docs-commands.ts');
      process.exitCode = await addDocs({ config: config(), env }, what, options);
    });
  addCommand('sync', 'follow the lock files of projects that were added')
    .argument('[projects...]', 'folders or files; default: all projects')
    .action(async (projects: string[], options: SourceOptions) => {
      const { syncDocs } = await import('./docs-commands.ts');
      process.exitCode = await syncDocs({ config: config(), env }, projects, options);
    });
  addCommand(
    'update',
    'look for newer versions of libraries that were added by name, and fetch those named here again',
  )
    .argument('[libraries...]', NAME)
    .action(async (names: string[], options: SourceOptions) => {
      const { updateDocs } = await import('./docs-commands.ts');
      process.exitCode = await updateDocs({ config: config(), env }, names, options);
    });
  addCommand('remove', 'remove libraries that were added by name, or a project with what only it uses')
    .argument('<what...>', `${NAME}, or the folder of a project`)
    .action(async (names: string[], options: SourceOptions) => {
      const { removeDocs } = await import('./docs-commands.ts');
      process.exitCode = await removeDocs({ config: config(), env }, names, options);
    });
  docs
    .command('ask')
    .description('show the passages that answer a question, from the libraries that are held')
    .argument('<question>', 'words, a question, an error message or code')
    .option('-l, --library <name>', `only this one, ${NAME} (repeatable)`, collectValues, [])
    .option('-k, --kind <kinds>', `only pages of these kinds: ${LIBRARY_PAGE_KINDS.join(', ')}`, parseKinds)
    .option('-p, --project <folder>', 'with the versions of this project; default: the one of this folder')
    .option(
      '--tokens <number>',
      `most tokens of all passages (default: ${DOCS_TOKENS_DEFAULT})`,
      createWholeNumberParser(DOCS_TOKENS_MIN, DOCS_TOKENS_MAX),
    )
    .option('--json', 'print the passages as JSON')
    .addHelpText('after', '\nThe exit code is 1 if nothing was found.')
    .action(async (question: string, options: AskOptions) => {
      const { askDocs } = await import('./ask-docs.ts');
      process.exitCode = await askDocs(config(), question, options);
    });
  docs
    .command('export')
    .description('write libraries with their pages into one file, for a machine without a network')
    .argument('<file>', 'such as docs.jsonl.gz')
    .argument('[libraries...]', `${NAME}; default: all`)
    .action(async (file: string, names: string[]) => {
      const { exportDocs } = await import('./docs-commands.ts');
      process.exitCode = await exportDocs({ config: config(), env }, file, names);
    });
  docs
    .command('import')
    .description('add the libraries of such a file; asks nobody')
    .argument('<file>', 'written by docs export')
    .action(async (file: string) => {
      const { importDocs } = await import('./docs-commands.ts');
      process.exitCode = await importDocs({ config: config(), env }, file);
    });
  docs
    .command('list')
    .description('list the libraries that are held')
    .option('--json', 'print the list as JSON')
    .action(async (options: { json?: boolean }) => {
      const { listDocs } = await import('./docs-commands.ts');
      process.exitCode = await listDocs({ config: config(), env }, options);
    });
  docs
    .command('show')
    .description('show what is held of a library, and where it is from')
    .argument('<library>', NAME)
    .option('--json', 'print the pages as JSON')
    .action(async (name: string, options: { json?: boolean }) => {
      const { showDocs } = await import('./docs-commands.ts');
      process.exitCode = await showDocs({ config: config(), env }, name, options);
    });
  return docs;
}

const collectValues = (value: string, before: string[]): string[] => [...before, value];

const splitNames = (text: string): string[] =>
  text.split(',').flatMap((name) => (name.trim() === '' ? [] : [name.trim()]));

function parseKinds(text: string): LibraryPageKind[] {
  const kinds = LIBRARY_PAGE_KINDS.filter((kind) => splitNames(text).includes(kind));
  if (kinds.length === splitNames(text).length) return kinds;
  throw new InvalidArgumentError(`It must be one or more of ${LIBRARY_PAGE_KINDS.join(', ')}.`);
}
