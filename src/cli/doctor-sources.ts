import type { Config } from '../config.ts';
import { ALL_SOURCES } from '../retrieval/recall/sources/all-sources.ts';
import type { Verdict } from './verdict.ts';

export type SourceLine = Verdict & { name: string };

/** Pure: a line for the contact, one for the own index, and one for each source: whether it is on, why not, its key, its address. */
export function sourceLines({ contact, ownIndex, sources, sourcesOff }: Config): SourceLine[] {
  const lines = ALL_SOURCES.map(({ name, about, key }): SourceLine => {
    const source = sources[name];
    if (source === undefined) return { name, mark: 'off', text: `${sourcesOff[name] ?? 'off'} (${about})` };
    const keyText = key === null ? 'needs no key' : source.key === null ? `no ${key.setting}` : 'with a key';
    return { name, mark: 'ok', text: `on, ${keyText}, ${source.baseUrl} (${about})` };
  });
  return [contactLine(contact, Object.keys(sources)), reachLine(ownIndex, sources), ...lines];
}

function contactLine(contact: string | null, on: readonly string[]): SourceLine {
  const name = 'contact';
  if (contact !== null) return { name, mark: 'ok', text: contact };
  if (on.length === 0) return { name, mark: 'off', text: 'no source of others is on' };
  return {
    name,
    mark: 'warning',
    text: 'not told: set CONTACT to a mail or web address, or sources such as Wikipedia may turn this service away',
  };
}

function reachLine(ownIndex: boolean, sources: Config['sources']): SourceLine {
  const name = 'recall';
  const wide = ALL_SOURCES.filter(({ scope, name: one }) => scope === 'web' && sources[one] !== undefined);
  const index = ownIndex ? 'the own index' : 'not the own index (RECALL)';
  const count = Object.keys(sources).length;
  const text = `${index} and ${count} ${count === 1 ? 'source' : 'sources'}`;
  if (wide.length > 0 || count === 0) return { name, mark: 'ok', text };
  return {
    name,
    mark: 'warning',
    text: `${text}, none of them for the whole web: set SEARXNG_URL or the key of an engine (see .env.example)`,
  };
}
