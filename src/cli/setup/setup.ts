/**
 * `sanderling setup`: enters the server into the settings of coding agents and gives them its skill. It finds out what it can by itself,
 * shows each change before it writes it, touches no other setting, checks the result by a call, and undoes all of it with `--remove`.
 * It starts no server and changes nothing of Sanderling's own.
 */
import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import type { Config } from '../../app/config.ts';
import { buildMcpEndpoint } from '../../http/mcp/mcp-relay.ts';
import { type McpServerTarget, probeMcpServer } from '../../http/mcp/probe-mcp.ts';
import { printVerdict, toFailure, toOk, toWarning, type Verdict } from '../check-result.ts';
import { describeError } from '../failure-messages.ts';
import { createAgentsFile } from './agents-md.ts';
import {
  CLIENT_NAMES,
  CLIENTS,
  type Client,
  type ClientName,
  describeServer,
  type UserPlace,
} from './clients.ts';
import { removeJsonEntry, setJsonEntry } from './jsonc-entry.ts';
import {
  createWholeFile,
  type FileChange,
  type ManagedFile,
  planAddition,
  planRemoval,
  removeEmptyFolders,
  SetupRefusal,
  writeChange,
} from './managed-file.ts';
import { openReceipts, type ReceiptBook } from './receipts.ts';
import { UnreadableSettings } from './settings-entry.ts';
import { formatChanges } from './show-change.ts';
import { removeTomlEntry, setTomlEntry } from './toml-entry.ts';

export type SetupOptions = {
  /** Base URL of the server; absent: the local one of the settings. */
  url?: string;
  key?: string;
  stdio?: boolean;
  project?: boolean;
  agentsMd?: boolean;
  remove?: boolean;
  yes?: boolean;
};

/** What setup finds around it. */
export type SetupSurroundings = { place: UserPlace; folder: string; program: string };

/** Name of the entry and of the skill. */
const NAME = 'sanderling';
/** Bits of a file's mode that let others than its owner read it. */
const OTHERS = 0o044;

/** Resolves to the exit code: 0 if everything was done, and a server answered. */
export async function runSetup(
  config: Config,
  names: readonly ClientName[],
  options: SetupOptions,
  surroundings: SetupSurroundings,
): Promise<number> {
  if (options.project && options.key !== undefined) {
    printNote('Files of a project are shared, so no key goes into them: leave out --key, or --project.');
    return 1;
  }
  const chosen = chooseClients(names, options, surroundings);
  if (chosen.length === 0 && !options.agentsMd) {
    printNote(`No client was found. Name one: ${CLIENT_NAMES.join(', ')}.`);
    return 1;
  }
  const receipts = openReceipts(surroundings.place);
  const plans = chosen.map((name) =>
    planClient(CLIENTS[name], chooseTarget(CLIENTS[name], config, options, surroundings), {
      options,
      surroundings,
      receipts,
    }),
  );
  if (options.agentsMd)
    plans.push(
      planFiles('AGENTS.md', [createAgentsFile(join(surroundings.folder, 'AGENTS.md'))], {
        options,
        receipts,
      }),
    );
  const isWritten = await writePlans(plans, { options, receipts });
  if (!isWritten) return 1;
  const isChecked = options.remove || chosen.length === 0 || (await checkServers(plans));
  const isWhole = plans.every(({ refusals }) => refusals.length === 0);
  return isWhole && isChecked ? 0 : 1;
}

/** The changes of one client, those refused, and the server that it gets; null: none. */
type Plan = { title: string; changes: FileChange[]; refusals: string[]; target: McpServerTarget | null };

type Planning = { options: SetupOptions; receipts: ReceiptBook };

/** Named clients as they are; else those that are installed here. */
function chooseClients(
  names: readonly ClientName[],
  { project }: SetupOptions,
  { place }: SetupSurroundings,
): ClientName[] {
  if (names.length > 0) return [...new Set(names)];
  const found = CLIENT_NAMES.filter((name) =>
    CLIENTS[name].findSigns(place).some((sign) => existsSync(sign)),
  );
  return project ? found.filter((name) => CLIENTS[name].projectFile !== null) : found;
}

/** Chooses the address of the server, or the command: where it is asked for, and for clients that know no addresses. */
function chooseTarget(
  { describeAddress }: Client,
  { baseUrl, port, dataDir }: Config,
  { url, key, stdio }: SetupOptions,
  { folder, program }: SetupSurroundings,
): McpServerTarget {
  const base = url ?? baseUrl ?? `http://localhost:${port}`;
  if (!stdio && describeAddress !== null)
    return { kind: 'address', url: buildMcpEndpoint(base, null).href, key: key ?? null };
  // Without an address the command answers by itself, from the index that is here.
  const isOwn = stdio && url === undefined;
  return {
    kind: 'command',
    command: process.execPath,
    args: [realpathSync(program), 'mcp', ...(isOwn ? [] : ['--url', base])],
    env: {
      ...(isOwn ? { DATA_DIR: resolve(folder, dataDir) } : {}),
      ...(key === undefined ? {} : { SANDERLING_API_KEY: key }),
    },
  };
}

function planClient(
  client: Client,
  target: McpServerTarget,
  { options, surroundings, receipts }: Planning & { surroundings: SetupSurroundings },
): Plan {
  const { place, folder } = surroundings;
  if (options.project && client.projectFile === null)
    return { title: client.title, changes: [], refusals: ['it has no settings for one project'], target };
  const inProject = (path: string | null): string | null => (path === null ? null : join(folder, path));
  const file = options.project ? inProject(client.projectFile) : client.findFile(place);
  const skills = options.project ? inProject(client.projectSkills) : (client.findSkills?.(place) ?? null);
  const files = [
    ...(file === null ? [] : [createSettingsFile(client, target, file)]),
    ...(skills === null ? [] : [createWholeFile(join(skills, NAME, 'SKILL.md'), readSkill())]),
  ];
  return { ...planFiles(client.title, files, { options, receipts }), target };
}

const readSkill = (): string => readFileSync(new URL('SKILL.md', import.meta.url), 'utf8');

function createSettingsFile(client: Client, target: McpServerTarget, path: string): ManagedFile {
  const entry = { list: client.list, name: NAME };
  const server = describeServer(client, target);
  const isSecret = target.kind === 'address' ? target.key !== null : 'SANDERLING_API_KEY' in target.env;
  if (client.format === 'toml')
    return {
      path,
      isSecret,
      add: (text) => setTomlEntry(text ?? '', entry, server),
      remove: (text) => removeTomlEntry(text, entry),
    };
  return {
    path,
    isSecret,
    add: (text) => setJsonEntry(text ?? '', entry, server),
    remove: (text) => removeJsonEntry(text, entry),
  };
}

/** Plans each file by itself: one that cannot be edited safely is left alone, with the reason. */
function planFiles(title: string, files: readonly ManagedFile[], { options, receipts }: Planning): Plan {
  const plan: Plan = { title, changes: [], refusals: [], target: null };
  for (const file of files) {
    try {
      const receipt = receipts.get(file.path);
      plan.changes.push(options.remove ? planRemoval(file, receipt) : planAddition(file, receipt));
    } catch (error) {
      plan.refusals.push(describeRefusal(file.path, error));
    }
  }
  return plan;
}

function describeRefusal(path: string, error: unknown): string {
  if (error instanceof SetupRefusal) return `${path}: ${error.message}.`;
  if (error instanceof UnreadableSettings)
    return `${path} cannot be edited: ${error.message}. Nothing in it was changed.`;
  if (error instanceof Error && 'code' in error) return describeError(error);
  throw error;
}

/** Shows all changes, asks, and writes them. Resolves to false if the user did not agree. */
async function writePlans(plans: readonly Plan[], { options, receipts }: Planning): Promise<boolean> {
  const isChange = ({ before, after }: FileChange): boolean => before !== after;
  const wanted = plans.flatMap(({ changes }) => changes.filter(isChange));
  process.stdout.write(formatChanges(wanted));
  for (const { title, changes, refusals } of plans) {
    if (!changes.some(isChange) && refusals.length === 0)
      printVerdict(title, toOk(options.remove ? 'nothing to remove' : 'is set up already'));
    for (const refusal of refusals) printVerdict(title, toFailure(refusal));
  }
  if (wanted.length === 0) return true;
  if (!options.yes && !(await confirm())) return false;
  const emptied: string[] = [];
  for (const plan of plans) {
    for (const change of plan.changes.filter(isChange)) {
      try {
        const created = writeChange(change);
        const folders = [...(receipts.get(change.file.path)?.folders ?? []), ...created];
        if (change.after === null) emptied.push(...folders);
        receipts.put(change.file.path, change.receipt === null ? null : { ...change.receipt, folders });
        printVerdict(plan.title, describeChange(change));
      } catch (error) {
        const refusal = describeRefusal(change.file.path, error);
        plan.refusals.push(refusal);
        printVerdict(plan.title, toFailure(refusal));
      }
    }
  }
  removeEmptyFolders(emptied);
  return true;
}

function describeChange({ file, before, after }: FileChange): Verdict {
  if (after === null) return toOk(`removed ${file.path}`);
  if (before === null) return toOk(`created ${file.path}`);
  const mode = statSync(file.path).mode & 0o777;
  if (file.isSecret && (mode & OTHERS) !== 0 && process.platform !== 'win32')
    return toWarning(
      `changed ${file.path}; other users of this machine may read the key in it (mode ${mode.toString(8)})`,
    );
  return toOk(`changed ${file.path}`);
}

/** Asks on a terminal. In a pipe nobody can have seen the changes, so nothing is written. */
async function confirm(): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stdout.isTTY) {
    printNote('Nothing was written. Add --yes to write these changes.');
    return false;
  }
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    const answer = await terminal.question('Write these changes? [y/N] ');
    if (/^y(?:es)?$/i.test(answer.trim())) return true;
  } finally {
    terminal.close();
  }
  printNote('Nothing was written.');
  return false;
}

/** Calls each server that was entered, as its client will. */
async function checkServers(plans: readonly Plan[]): Promise<boolean> {
  const targets = new Map<string, McpServerTarget>();
  for (const { target } of plans) if (target !== null) targets.set(JSON.stringify(target), target);
  let isGood = true;
  for (const target of targets.values()) {
    const verdict = await checkServer(target);
    isGood &&= verdict.mark === 'ok';
    printVerdict('server', verdict);
  }
  return isGood;
}

async function checkServer(target: McpServerTarget): Promise<Verdict> {
  const where = target.kind === 'address' ? target.url : `sanderling ${target.args.slice(1).join(' ')}`;
  try {
    const { tools, problem } = await probeMcpServer(target);
    if (problem !== null) return toFailure(`${where}: ${problem}`);
    return toOk(`${where} answers, with ${tools.length} tools`);
  } catch (error) {
    const { message, cause } = error as Error;
    const why = cause instanceof Error ? cause.message || message : message;
    return toWarning(
      `${where} does not answer yet: ${why}. Start the server (npm start), then run setup again`,
    );
  }
}

function printNote(text: string): void {
  process.stderr.write(`${text}\n`);
}
