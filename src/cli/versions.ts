import { createServices } from '../app/compose-services.ts';
import type { Config } from '../app/config.ts';
import { parseInstant } from '../http/calls/instant.ts';
import { formatUnifiedDiff, writeChangesAsMarkdown } from '../text/changes/write-changes.ts';
import type { PageVersion, Versions } from '../versions/versions.ts';
import { watchInterruption } from './until-interrupted.ts';

/** `changes`: how the last two versions differ; `lines`: the same line by line; `at`: the text as it was then. */
type VersionsOptions = { at?: string; changes?: true; lines?: true; json?: true };

const LISTED_MAX = 1_000;

/** `sanderling versions <url>`: lists the kept versions of a page, prints one, or says what has changed. Resolves to the exit code. */
export async function runVersions(config: Config, url: string, options: VersionsOptions): Promise<number> {
  const at = options.at === undefined ? null : parseInstant(options.at);
  if (options.at !== undefined && at === null)
    return printProblem('--at must be an instant such as 2026-11-28T10:20:30Z, or a day');
  const services = await createServices(config);
  const interruption = watchInterruption();
  try {
    const { versions: open, compareVersions } = services.versioning;
    const versions = await open();
    if (at !== null) return await printVersion(versions, url, at);
    const found = await versions.list(url, { limit: LISTED_MAX });
    const [after, before] = found;
    if (after === undefined) return printProblem('no version of this page is kept');
    if (!options.changes && !options.lines) {
      print(options.json ? JSON.stringify(found, null, 2) : found.map(formatVersion).join('\n'));
      return 0;
    }
    if (before === undefined) return printProblem('of this page one version is kept');
    const { signal } = interruption;
    const pair = { before, after };
    if (options.lines) {
      const names = { before: formatInstant(before), after: formatInstant(after) };
      print(formatUnifiedDiff(await compareVersions.byLine(pair, { signal, names })));
      return 0;
    }
    const comparison = await compareVersions.byBlock(pair, { signal });
    print(options.json ? JSON.stringify(comparison, null, 2) : writeChangesAsMarkdown(comparison));
    return 0;
  } finally {
    interruption.stop();
    await services.close();
  }
}

async function printVersion(versions: Versions, url: string, at: number): Promise<number> {
  const version = await versions.findAt(url, at, {});
  const text = version === null ? null : await versions.readText(version);
  if (text === null) return printProblem('no version of this page is kept');
  print(text);
  return 0;
}

const formatInstant = ({ firstSeenAt }: PageVersion): string => new Date(firstSeenAt).toISOString();

/** Formats a version as a line: number, when it was first and last seen, and its size or that the page was gone. */
function formatVersion(version: PageVersion): string {
  const { number, lastSeenAt, visits, status, chars } = version;
  const size = status === 'gone' ? 'gone' : `${chars} characters`;
  const seen =
    visits === 1 ? 'seen once' : `seen ${visits} times, last ${new Date(lastSeenAt).toISOString()}`;
  return `${String(number).padStart(4)}  ${formatInstant(version)}  ${size}, ${seen}`;
}

function print(text: string): void {
  process.stdout.write(`${text.trimEnd()}\n`);
}

function printProblem(text: string): number {
  process.stderr.write(`${text}\n`);
  return 1;
}
