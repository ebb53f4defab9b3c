import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ApiEcosystem, createApiReference, GRAMMARS } from '../../src/libraries/api/api-reference.ts';
import { openGrammars } from '../../src/libraries/api/open-grammars.ts';

type ApiReference = ReturnType<typeof createApiReference>;

/** A clock that stands still: nothing takes too long. */
const STOPPED = (): number => 0;

/** Reads a file of `packages/`, which holds all files of a package, each below a line `--- path`. */
export function readPackage(ecosystem: ApiEcosystem): Map<string, string> {
  const text = readFileSync(join(import.meta.dirname, 'packages', `${ecosystem}.txt`), 'utf8');
  const files = text.split(/^--- /m).filter((part) => part !== '');
  return new Map(
    files.map((part) => {
      const end = part.indexOf('\n');
      return [part.slice(0, end), part.slice(end + 1)];
    }),
  );
}

export async function describePackage(
  ecosystem: ApiEcosystem,
  files: Record<string, string> | Map<string, string>,
  now: () => number = STOPPED,
): Promise<ApiReference> {
  const grammars = await openGrammars(GRAMMARS[ecosystem]);
  const all = files instanceof Map ? files : new Map(Object.entries(files));
  return createApiReference(all, ecosystem, { grammars, now });
}

/** All pages as one text, each below the path of its URL. */
export function joinPages({ pages }: ApiReference): string {
  return pages.map(({ fragment, markdown }) => `<!-- ${fragment} -->\n\n${markdown}`).join('\n');
}
