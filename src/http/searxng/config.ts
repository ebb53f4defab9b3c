import { VERSION } from '../../contract/version.ts';
import type { SourceReading } from '../../recall/upstream/upstream-types.ts';
import type { Answer, JsonObject } from '../calls/call.ts';
import { CATEGORY, ENGINE } from './formats.ts';

/** GET /searxng/config: the options of a client, and the upstream sources as engines. */
export function createConfigHandler(readings: () => SourceReading[]): () => Promise<Answer> {
  return async () => ({
    body: {
      instance_name: ENGINE,
      version: VERSION,
      categories: [CATEGORY],
      engines: readings().map(toEngine),
      plugins: [],
      locales: { en: 'English' },
      default_locale: 'en',
      default_theme: 'simple',
      autocomplete: '',
      safe_search: 0,
      public_instance: false,
    },
  });
}

function toEngine({ name, state }: SourceReading): JsonObject {
  return {
    name,
    categories: [CATEGORY],
    shortcut: name,
    enabled: state === 'on',
    paging: true,
    language_support: false,
    languages: [],
    regions: [],
    safesearch: false,
    time_range_support: true,
  };
}
