import { type Fields, LOOKS, PART_FIELDS, type Tool } from '../tool.ts';
import { recordsOf, sections, textOf, textsOf } from '../writing.ts';

const SITE_FIELDS = {
  url: { kind: 'text', required: true, aliases: ['urls', 'site', 'start_url'] },
  instructions: { kind: 'text', about: 'topic to keep', aliases: ['query', 'topic'] },
  limit: { kind: 'count', about: 'pages', aliases: ['max_pages', 'max_results', 'pages'] },
  max_depth: { kind: 'count', aliases: ['depth'] },
  select_paths: { kind: 'list', about: 'regexes', aliases: ['include_paths', 'paths'] },
  exclude_paths: { kind: 'list' },
} as const satisfies Fields;

/** Pages of a crawl where the call does not say: what an agent can read, and not what a site has. */
const CRAWL_LIMIT = 10;
const MAP_LIMIT = 200;

/** Stands for POST /shapeB/crawl. */
export const crawl: Tool = {
  name: 'crawl',
  description: `Crawl a site; its pages as Markdown (limit ${CRAWL_LIMIT} unless given). 1 credit per page.`,
  fields: { ...SITE_FIELDS, ...PART_FIELDS },
  annotations: LOOKS,
  isLong: true,
  call: ({ limit = CRAWL_LIMIT, max_tokens: _tokens, cursor: _cursor, ...body }) => ({
    method: 'POST',
    path: '/shapeB/crawl',
    body: { ...body, limit },
  }),
  write(answer) {
    const pages = recordsOf(answer, 'results').map(
      (page) => `=== ${textOf(page, 'url')}\n\n${textOf(page, 'raw_content')}`,
    );
    return { text: pages.length === 0 ? 'No page of the site could be taken.' : sections(pages) };
  },
};

/** Stands for POST /shapeB/map. */
export const map: Tool = {
  name: 'map',
  description: 'List the URLs of a site. 1 credit.',
  fields: { ...SITE_FIELDS, ...PART_FIELDS },
  annotations: LOOKS,
  isLong: true,
  call: ({ limit = MAP_LIMIT, max_tokens: _tokens, cursor: _cursor, ...body }) => ({
    method: 'POST',
    path: '/shapeB/map',
    body: { ...body, limit },
  }),
  write(answer) {
    const urls = textsOf(answer, 'results');
    return { text: urls.length === 0 ? 'No address of the site was found.' : urls.join('\n') };
  },
};
