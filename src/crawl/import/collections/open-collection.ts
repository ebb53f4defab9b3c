import type { Collection } from './collection-types.ts';
import { localFiles } from './local-files.ts';

/** Opens what an import names. Rejects, saying why, where there is nothing to read. */
export type OpenCollection = (
  path: string,
  baseUrl: string | null,
  signal: AbortSignal,
) => Promise<Collection>;

export function createOpenCollection(): OpenCollection {
  return (path, baseUrl) => localFiles(path, baseUrl);
}
