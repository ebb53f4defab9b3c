import { normalizeName } from './arguments.ts';
import type { Tool } from './tool.ts';
import { autoReload, balance } from './tools/account-tools.ts';
import { answer, checkClaims } from './tools/answer-tools.ts';
import { findLibrary, queryDocs, resolveLibraryId, searchDocs } from './tools/library-tools.ts';
import { contents, crawl, map, read } from './tools/page-tools.ts';
import { deepResearch } from './tools/research-tool.ts';
import { findSimilar, search } from './tools/search-tools.ts';
import { watch } from './tools/watch-tool.ts';

/** Every tool, the most used first: some clients show or keep only the beginning of the list. */
export const TOOLS: readonly Tool[] = [
  search,
  read,
  contents,
  searchDocs,
  findLibrary,
  findSimilar,
  answer,
  deepResearch,
  checkClaims,
  map,
  crawl,
  balance,
  autoReload,
];

/** Tools that are offered only where the address names them: those of other services, and those that few agents need. */
const TOOLS_BY_NAME: readonly Tool[] = [resolveLibraryId, queryDocs, watch];

/** Whether calls are metered, and whether a model is set. */
export type ToolTerms = { isMetered: boolean; hasModel: boolean };

/** Selects the tools named in a comma list, or the usual ones for null or if no name is known. Without metering, none is about keys. */
export function selectTools(names: string | null, { isMetered, hasModel }: ToolTerms): readonly Tool[] {
  const offered = TOOLS.filter(({ isAboutKeys }) => isMetered || !isAboutKeys);
  const wanted = (names ?? '').split(',').map((name) => normalizeName(name.trim()));
  const chosen = [...offered, ...TOOLS_BY_NAME].filter((tool) =>
    wanted.some((asked) => isNamed(tool, asked) || asked.endsWith(`_${tool.name}`)),
  );
  return chosen.length === 0 ? offered.filter(({ isAboutWriting }) => hasModel || !isAboutWriting) : chosen;
}

/** Finds a tool by its name, with or without the brand prefix; null if there is none. */
export function findTool(tools: readonly Tool[], called: string, brand: string): Tool | null {
  const name = normalizeName(called.trim());
  const bare = name.startsWith(`${normalizeName(brand)}_`) ? name.slice(brand.length + 1) : name;
  return tools.find((tool) => isNamed(tool, bare)) ?? tools.find((tool) => isNamed(tool, name)) ?? null;
}

/** `asked` is a normalized name. */
const isNamed = ({ name, otherNames = [] }: Tool, asked: string): boolean =>
  [name, ...otherNames].some((one) => normalizeName(one) === asked);
