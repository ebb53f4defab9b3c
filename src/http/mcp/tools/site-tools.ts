import type { JsonObject } from '../../calls/call.ts';
import { type Arguments, type Fields, LOOKS, PART_FIELDS, type Tool } from '../tool.ts';
import { recordsOf, sections, textOf, textsOf } from '../writing.ts';

const SITE_FIELDS = {
  url: { kind: 'text', required: true, aliases: ['urls', 'site', 'start_url'] },
  instructions: { kind: 'text', about: 'topic to keep', aliases: ['query', 'topic', 'question'] },
  limit: { kind: 'count', about: 'pages', aliases: ['max_pages', 'max_results', 'pages'] },
  max_depth: { kind: 'count', aliases: ['depth'] },
  select_paths: { kind: 'list', about: 'regexes', aliases: ['include_paths', 'paths'] },
  exclude_paths: { kind: 'list' },
  max_seconds: { kind: 'number', aliases: ['timeout'] },
  ...PART_FIELDS,
} as const satisfies Fields;

/** Pages of a crawl where the call does not say: what an agent can read, and not what a site has. */
const CRAWL_LIMIT = 10;
const MAP_LIMIT = 200;
/** Many clients wait for a minute and no longer. */
const SECONDS_DEFAULT = 50;

/** Stands for POST /shapeB/crawl. */
export const crawl: Tool = {
  name: 'crawl',
  description: `Crawl a site; its pages as Markdown (limit ${CRAWL_LIMIT} unless given). 1 credit per page.`,
  fields: SITE_FIELDS,
  annotations: LOOKS,
  isLong: true,
  call: (args) => ({ method: 'POST', path: '/shapeB/crawl', body: walkOf(args, CRAWL_LIMIT) }),
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
  fields: SITE_FIELDS,
  annotations: LOOKS,
  isLong: true,
  call: (args) => ({ method: 'POST', path: '/shapeB/map', body: walkOf(args, MAP_LIMIT) }),
  write(answer) {
    const urls = textsOf(answer, 'results');
    return { text: urls.length === 0 ? 'No address of the site was found.' : urls.join('\n') };
  },
};

/** The second shape's word for the time is `timeout`; agents ask for the site itself, and not for what it links to. */
function walkOf(args: Arguments, limitDefault: number): JsonObject {
  const { url, instructions, max_depth, select_paths, exclude_paths } = args;
  return {
    ...{ url, instructions, max_depth, select_paths, exclude_paths },
    limit: args.limit ?? limitDefault,
    timeout: args.max_seconds ?? SECONDS_DEFAULT,
    allow_external: false,
  };
}
