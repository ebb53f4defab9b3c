import { Command, InvalidArgumentError } from 'commander';
import type { Config } from '../../app/config.ts';
import { ISSUE_REF } from '../../billing/keys/key-procedures.ts';
import { parseCalls, parseExpiry, parseOverlap } from '../../billing/limits/key-terms.ts';
import { createWholeNumberParser } from '../arguments.ts';

const CREDITS_MAX = 1_000_000_000;
const LIST_MAX = 10_000;
const LIST_DEFAULT = 100;
const TEXT_CHARS_MAX = 100;

/** The arguments of `sanderling keys ...`; `keys.ts` does the work. */
export function createKeysProgram(settings: () => Config): Command {
  const keys = new Command('keys').description(
    'create keys, show, grant and limit what they may use (for the operator)',
  );
  const addCommand = (name: string, description: string): Command =>
    keys.command(name).description(description).option('--json', 'print the answer as JSON');

  const addLimitedCommand = (name: string, description: string): Command =>
    withLimits(addCommand(name, description));

  addLimitedCommand('create', 'create a key and print it (it cannot be shown again)')
    .option('--credits <n>', 'credits to start with', createWholeNumberParser(0, CREDITS_MAX), 0)
    .option('--label <text>', 'a name for the key', parseShortText)
    .option('--no-store', 'keep nothing that its calls read')
    .action(async (options) => {
      const { createKey } = await import('./keys.ts');
      process.exitCode = await createKey(settings(), options);
    });
  addCommand('list', 'list the keys, newest first')
    .option('-n, --limit <n>', 'maximum number of keys', createWholeNumberParser(1, LIST_MAX), LIST_DEFAULT)
    .option('--account <id>', 'only the keys of one account, named by the id of any of them')
    .action(async (options) => {
      const { listKeys } = await import('./keys.ts');
      process.exitCode = await listKeys(settings(), options);
    });
  addCommand('show', 'show one key')
    .argument('<id|key>', 'the id of a key, or the key itself')
    .action(async (idOrKey: string, options) => {
      const { showKey } = await import('./keys.ts');
      process.exitCode = await showKey(settings(), idOrKey, options);
    });
  addCommand('grant', 'add credits to a key')
    .argument('<id|key>', 'the id of a key, or the key itself')
    .argument('<credits>', 'number of credits', createWholeNumberParser(1, CREDITS_MAX))
    .option(
      '--ref <text>',
      'what the credits are for, such as an invoice; each reference counts once',
      parseReference,
    )
    .action(async (idOrKey: string, credits: number, options) => {
      const { grantToKey } = await import('./keys.ts');
      process.exitCode = await grantToKey(settings(), idOrKey, { ...options, credits });
    });
  addLimitedCommand('limits', 'change what a key may call, or show it')
    .argument('<id|key>', 'the id of a key, or the key itself')
    .action(async (idOrKey: string, options) => {
      const { limitKey } = await import('./keys.ts');
      process.exitCode = await limitKey(settings(), idOrKey, options);
    });
  addOwnerCommands({ command: addCommand, limited: addLimitedCommand }, settings);
  addCommand('revoke', 'revoke a key for good')
    .argument('<id|key>', 'the id of a key, or the key itself')
    .action(async (idOrKey: string, options) => {
      const { revokeKey } = await import('./keys.ts');
      process.exitCode = await revokeKey(settings(), idOrKey, options);
    });
  return keys;
}

type Commands = Record<'command' | 'limited', (name: string, description: string) => Command>;

/** Adds the commands that owners also have on their account page. */
function addOwnerCommands({ command, limited }: Commands, settings: () => Config): void {
  const ID = ['<id|key>', 'the id of a key, or the key itself'] as const;
  limited('add', 'add a key that draws on the credits of another, and print it (it cannot be shown again)')
    .argument(...ID)
    .option('--label <text>', 'a name for the key', parseShortText)
    .option('--manages', 'whoever has it may sign in and manage the account')
    .option('--no-store', 'keep nothing that its calls read')
    .action(async (idOrKey: string, options) => {
      const { addKey } = await import('./keys.ts');
      process.exitCode = await addKey(settings(), idOrKey, options);
    });
  command('rotate', 'give a key a new secret and print it (it cannot be shown again)')
    .argument(...ID)
    .option(
      '--overlap <time>',
      'how long the old secret works on: 24h, 7d or 0',
      (text) => unwrapTerm(parseOverlap(text)),
      0,
    )
    .action(async (idOrKey: string, options) => {
      const { rotateKey } = await import('./keys.ts');
      process.exitCode = await rotateKey(settings(), idOrKey, options);
    });
  command('label', 'change the label of a key, and whether it may manage its account')
    .argument(...ID)
    .option('--label <text>', 'a name for the key', parseShortText)
    .option('--manages', 'whoever has it may sign in and manage the account')
    .option('--no-manages', 'whoever has it may only call')
    .action(async (idOrKey: string, options) => {
      const { describeKey } = await import('./keys.ts');
      process.exitCode = await describeKey(settings(), idOrKey, options);
    });
}

function withLimits(command: Command): Command {
  return command
    .option(
      '--per-minute <n>',
      'most calls in a minute, counted by each server process, or none',
      parseCallLimit,
    )
    .option('--per-day <n>', 'most calls on a UTC day, or none', parseCallLimit)
    .option(
      '--expires <when>',
      'when it ends: 30d, 12h, 2026-12-31 (the end of that day, UTC), an instant or never',
      (text) => unwrapTerm(parseExpiry(text, Date.now())),
    );
}

const parseCallLimit = (text: string): number => unwrapTerm(parseCalls(text));

/** Returns a parsed term or throws. No limit becomes infinity, because commander replaces null by an empty string. */
function unwrapTerm(read: ReturnType<typeof parseCalls>): number {
  if (!read.ok) throw new InvalidArgumentError(`It ${read.why}.`);
  return read.value ?? Number.POSITIVE_INFINITY;
}

function parseShortText(text: string): string {
  if (text.trim() !== '' && text.length <= TEXT_CHARS_MAX && !/\p{Cc}/u.test(text)) return text.trim();
  throw new InvalidArgumentError(`It must be one line of 1 to ${TEXT_CHARS_MAX} characters.`);
}

function parseReference(text: string): string {
  if (text.startsWith(ISSUE_REF))
    throw new InvalidArgumentError(`References that begin with ${ISSUE_REF} are reserved for new keys.`);
  return parseShortText(text);
}
