import { snakeName } from './arguments.ts';
import type { Tool } from './tool.ts';
import { autoReload, balance } from './tools/account-tools.ts';
import { contents, read } from './tools/page-tools.ts';
import { deepResearch } from './tools/research-tool.ts';
import { findSimilar, search } from './tools/search-tools.ts';
import { crawl, map } from './tools/site-tools.ts';

/** Every tool, the most used ones first: some clients show or keep only the beginning of a list. */
export const TOOLS: readonly Tool[] = [
  search,
  read,
  contents,
  findSimilar,
  deepResearch,
  map,
  crawl,
  balance,
  autoReload,
];

/** `search,read` -> those tools; null or nothing known: all of them. */
export function chosenTools(names: string | null): readonly Tool[] {
  const wanted = (names ?? '').split(',').map((name) => snakeName(name.trim()));
  const chosen = TOOLS.filter(({ name }) =>
    wanted.some((asked) => asked === name || asked.endsWith(`_${name}`)),
  );
  return chosen.length === 0 ? TOOLS : chosen;
}

/** The tool of a name, with or without the brand; null when there is none. */
export function findTool(tools: readonly Tool[], called: string, brand: string): Tool | null {
  const name = snakeName(called.trim());
  const bare = name.startsWith(`${snakeName(brand)}_`) ? name.slice(brand.length + 1) : name;
  return tools.find((tool) => tool.name === bare) ?? tools.find((tool) => tool.name === name) ?? null;
}
