import type { OtherService } from './other-service.ts';

/** What moves over from SearXNG. */
export const SEARXNG: OtherService = {
  name: 'SearXNG',
  address: '{base_url}/searxng',
  differs: [
    'JSON is on: `/searxng/search?q=…&format=json`, and so are CSV and RSS. A `format` decides, never `Accept`.',
    'Clients of a SearXNG send no key: put it into the path, `{base_url}/searxng/<key>`, or set `UNMETERED_NETWORKS`.',
    'The results come from the sources of this server; `unresponsive_engines` names those that failed.',
    'Its pages can be read in the same place: `{base_url}/r/{url}`.',
  ],
  calls: [
    {
      method: 'GET',
      path: '/searxng/search',
      base: { q: 'waders', format: 'json' },
      fields: [
        ['pageno', '2', 'up to five pages of ten'],
        ['time_range', 'week'],
        ['language', 'de', 'the query decides'],
        ['safesearch', '2'],
        ['categories', 'news'],
        ['engines', 'google'],
        ['image_proxy', '1'],
      ],
    },
  ],
  absent: [['Autocompletion', 'GET', '/searxng/autocompleter']],
};

/** The services that people come from. */
