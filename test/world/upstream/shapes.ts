/** One result that a test scripts; a source writes it in its own shape. */
export type UpstreamItem = { url: string; title: string; snippet: string; publishedDay: string | null };

type Fields = Record<string, unknown>;

/** How the answers of one source look: where its list stands in the recorded answer, and how an item is written into it. */
export type Shape = {
  /** Keys from the root to the list of results. */
  list: readonly string[];
  /** Fields laid over a copy of the first recorded result. */
  item(item: UpstreamItem, index: number): Fields;
  /** Fields laid over the recorded answer's root; sources say in many ways that they have nothing. */
  empty?: Fields;
};

const seconds = (day: string | null): number | null => (day === null ? null : Date.parse(day) / 1000);

/** The sources whose answers are JSON. arXiv's are Atom. */
export const JSON_SHAPES = {
  searxng: {
    list: ['results'],
    item: ({ url, title, snippet, publishedDay }) => ({
      url,
      title,
      content: snippet,
      publishedDate: publishedDay === null ? null : `${publishedDay}T00:00:00`,
    }),
    empty: { unresponsive_engines: [] },
  },
  brave: {
    list: ['web', 'results'],
    item: ({ url, title, snippet, publishedDay }) => ({
      url,
      title,
      description: snippet,
      page_age: publishedDay === null ? null : `${publishedDay}T10:00:00`,
      extra_snippets: [],
    }),
  },
  mojeek: {
    list: ['response', 'results'],
    item: ({ url, title, snippet, publishedDay }) => ({
      url,
      title,
      desc: snippet,
      date: publishedDay ?? '',
    }),
  },
  marginalia: {
    list: ['results'],
    item: ({ url, title, snippet }) => ({ url, title, description: snippet }),
  },
  kagi: {
    list: ['data'],
    item: ({ url, title, snippet, publishedDay }) => ({
      url,
      title,
      snippet,
      published: publishedDay === null ? null : `${publishedDay}T00:00:00Z`,
    }),
  },
  wikipedia: {
    list: ['query', 'search'],
    item: ({ title, snippet }, index) => ({ title, snippet, pageid: 200 + index }),
  },
  wikidata: {
    list: ['search'],
    item: ({ url, title, snippet }) => ({ url, label: title, description: snippet, display: null }),
  },
  stackexchange: {
    list: ['items'],
    item: ({ url, title, publishedDay }) => ({ link: url, title, creation_date: seconds(publishedDay) }),
  },
  hackernews: {
    list: ['hits'],
    item: ({ url, title, snippet, publishedDay }, index) => ({
      url,
      title,
      story_text: snippet,
      created_at_i: seconds(publishedDay),
      objectID: String(71_000 + index),
    }),
  },
  github: {
    list: ['items'],
    item: ({ url, title, snippet, publishedDay }) => ({
      html_url: url,
      full_name: title,
      description: snippet,
      created_at: publishedDay === null ? null : `${publishedDay}T10:00:00Z`,
    }),
  },
  npm: {
    list: ['objects'],
    item: ({ url, title, snippet }) => ({
      package: { name: title, description: snippet, links: { npm: url } },
    }),
  },
  crossref: {
    list: ['message', 'items'],
    item: ({ url, title, snippet, publishedDay }) => ({
      URL: url,
      title: [title],
      abstract: snippet,
      published: { 'date-parts': [publishedDay?.split('-').map(Number) ?? [null]] },
    }),
  },
  openalex: {
    list: ['results'],
    item: ({ url, title, snippet, publishedDay }) => ({
      id: url,
      doi: null,
      best_oa_location: null,
      primary_location: null,
      display_name: title,
      publication_date: publishedDay,
      abstract_inverted_index: snippet === '' ? null : inverted(snippet),
    }),
  },
  semanticscholar: {
    list: ['data'],
    item: ({ url, title, snippet, publishedDay }) => ({
      url,
      externalIds: null,
      title,
      abstract: snippet,
      publicationDate: publishedDay,
    }),
  },
} satisfies Record<string, Shape>;

function inverted(text: string): Record<string, number[]> {
  const places = new Map<string, number[]>();
  for (const [place, word] of text.split(' ').entries()) {
    const known = places.get(word);
    if (known === undefined) places.set(word, [place]);
    else known.push(place);
  }
  return Object.fromEntries(places);
}
