import { readFileSync, statSync } from 'node:fs';
import type { Config } from '../../app/config.ts';
import { CATALOGUE } from '../../app/models/catalogue.ts';
import {
  type InstalledModel,
  installModel,
  listInstalledModels,
  type RequestedModel,
  removeModel,
} from '../../app/models/model-folders.ts';
import { createGuardedFetch } from '../../platform/net/guarded-fetch.ts';
import { createNamedFetch } from '../../platform/net/upstream-fetch.ts';
import { resolveModelPackages } from '../../recall/rerank/open-model.ts';

const ARCHIVE_BYTES_MAX = 600_000_000;
const FETCH_TIMEOUT_MS = 30 * 60_000;
const SHA256 = /^[0-9a-f]{64}$/i;

/** `sanderling models list`. Like all commands here, returns the exit code. */
export function listModels({ dataDir }: Config, { json }: { json?: boolean }): number {
  const installed = listInstalledModels(dataDir);
  const names = new Set(installed.map(({ name }) => name));
  const others = CATALOGUE.filter(({ name }) => !names.has(name));
  if (json) {
    const lines = [
      ...installed.map((model) => ({ ...model, installed: true })),
      ...others.map((model) => ({ ...model, installed: false })),
    ];
    print(JSON.stringify(lines, null, 2));
    return 0;
  }
  for (const { name, setting, about, licence } of installed)
    print(`${name}  installed; use it with ${setting}=${name}\n  ${about}\n  Licence: ${licence}`);
  for (const { name, about, licence, bytes } of others)
    print(
      `${name}  sanderling models install ${name} (${Math.ceil(bytes / 1e6)} MB)\n  ${about}\n  Licence: ${licence}`,
    );
  return 0;
}

type InstallOptions = { file?: string; url?: string; sha256?: string };

/** `sanderling models install`: resolves to 1 if the model was not installed. */
export async function runInstall(config: Config, name: string, options: InstallOptions): Promise<number> {
  const problem = findProblem(name, options);
  if (problem !== null) {
    process.stderr.write(`${problem}\n`);
    return 1;
  }
  const wanted = resolveModel(name, options);
  try {
    const { setting, licence } = await install(config, wanted, options);
    print(`${name} is installed. Set ${setting}=${name} and restart the server. Licence: ${licence}`);
    if (setting === 'RERANK_MODEL') printMissingPackages();
    return 0;
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    return 1;
  }
}

function printMissingPackages(): void {
  try {
    resolveModelPackages();
  } catch (error) {
    print(`Before that: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** `sanderling models remove`: returns 1 if there is no such model. */
export function runRemove({ dataDir }: Config, name: string): number {
  if (removeModel(dataDir, name)) {
    print(`${name} is removed.`);
    return 0;
  }
  process.stderr.write(`There is no model ${JSON.stringify(name)}; sanderling models list names them.\n`);
  return 1;
}

/** Returns what the user must change; null: nothing. */
function findProblem(name: string, { file, url, sha256 }: InstallOptions): string | null {
  const isListed = CATALOGUE.some((model) => model.name === name);
  if (file !== undefined && url !== undefined) return 'Give --file or --url, not both.';
  if (isListed)
    return sha256 === undefined ? null : `${name} has its checksum in the list; leave out --sha256.`;
  if (file === undefined && url === undefined)
    return `There is no model ${JSON.stringify(name)} in the list; install your own with --file or --url, and --sha256.`;
  if (sha256 === undefined || !SHA256.test(sha256))
    return 'A model that is not in the list needs --sha256 with the 64 digits of its checksum.';
  return null;
}

function resolveModel(name: string, { sha256 = '' }: InstallOptions): RequestedModel {
  return CATALOGUE.find((model) => model.name === name) ?? { name, sha256 };
}

async function install(
  config: Config,
  wanted: RequestedModel,
  { file, url }: InstallOptions,
): Promise<InstalledModel> {
  const archive =
    file === undefined
      ? await fetchArchive(config, { url: url ?? wanted.url ?? '', isNamed: url !== undefined, wanted })
      : readArchive(file);
  return installModel(config.dataDir, wanted, archive);
}

function readArchive(file: string): Uint8Array {
  const { size } = statSync(file);
  if (size > ARCHIVE_BYTES_MAX) throw new Error(`${file} has more than ${ARCHIVE_BYTES_MAX} bytes`);
  return readFileSync(file);
}

type ArchiveRequest = { url: string; isNamed: boolean; wanted: RequestedModel };

/** Fetches the archive. An address named by the operator may be private. */
async function fetchArchive(
  { dnsServers, egress }: Config,
  { url, isNamed, wanted }: ArchiveRequest,
): Promise<Uint8Array> {
  const limits = { timeoutMs: FETCH_TIMEOUT_MS };
  const network = isNamed
    ? createNamedFetch({ dnsServers, egress, limits })
    : createGuardedFetch({ dnsServers, egress, limits });
  try {
    const bytesMax = wanted.bytes ?? ARCHIVE_BYTES_MAX;
    const { status, body } = await network.fetch({ url, bytesMax, timeoutMs: FETCH_TIMEOUT_MS });
    if (status !== 200) throw new Error(`${url} answered with status ${status}; nothing was installed`);
    return body;
  } finally {
    await network.close();
  }
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
