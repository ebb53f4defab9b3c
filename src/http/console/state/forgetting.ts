import type { PageSelector } from '../../../index/local-index-types.ts';
import type { Forget } from '../../../index/upkeep/forget.ts';
import type { ActionLog } from './action-log.ts';

type Entry = Parameters<ActionLog['record']>[0];

/** Builds the log entry for forgotten pages, which names only their host. */
export function buildForgetEntry(
  selector: PageSelector,
  { pages, copies, addresses }: Awaited<ReturnType<Forget>>,
): Entry {
  return {
    action: `pages forgotten by ${Object.keys(selector)[0]}`,
    host: extractSelectorHost(selector),
    outcome: `${pages} pages, ${copies} copies, ${addresses} addresses of crawls`,
  };
}

/** Extracts the host that a selector names. */
export function extractSelectorHost(selector: PageSelector): string {
  if ('host' in selector) return selector.host;
  return URL.parse('url' in selector ? selector.url : selector.prefix)?.host || 'local files';
}
