import type { JsonObject } from '../../calls/call.ts';
import { type Arguments, READ_FIELDS, READ_ONLY, type Tool, type ToolArguments } from '../tool.ts';
import { joinSections, readRecords, readTextField, readTextList } from '../writing.ts';

const SITE_FIELDS = {
  url: { kind: 'text', required: true, aliases: ['urls', 'site', 'start_url'] },
  instructions: { kind: 'text', about: 'topic to keep', aliases: ['query', 'topic', 'question'] },
  limit: { kind: 'count', about: 'pages', aliases: ['max_pages', 'max_results', 'pages'] },
  max_depth: { kind: 'count', aliases: ['depth'] },
  select_paths: { kind: 'list', about: 'regexes', aliases: ['include_paths', 'paths'] },
  exclude_paths: { kind: 'list' },
  max_seconds: { kind: 'number', aliases: ['timeout'] },
  ...READ_FIELDS,
} as const satisfies ToolArguments;

/** Default number of pages: as many as an agent can read, not as many as a site has. */
const CRAWL_LIMIT = 10;
const MAP_LIMIT = 200;
/** Default time limit. Many clients give up after a minute. */
const SECONDS_DEFAULT = 50;

/** The tool for POST /shapeB/crawl. */
export const crawl: Tool = {
  name: 'crawl',
  title: 'Crawl a site',
  description: `Crawl a site and return its pages as Markdown (${CRAWL_LIMIT} unless limit is given).`,
  price: '1 credit per page.',
  fields: SITE_FIELDS,
  annotations: READ_ONLY,
  isLong: true,
  call: (args) => ({ method: 'POST', path: '/shapeB/crawl', body: buildCrawlBody(args, CRAWL_LIMIT) }),
  write(answer) {
    const pages = readRecords(answer, 'results').map(
      (page) => `=== ${readTextField(page, 'url')}\n\n${readTextField(page, 'raw_content')}`,
    );
    return { text: pages.length === 0 ? 'No page of the site could be read.' : joinSections(pages) };
  },
};

/** The tool for POST /shapeB/map. */
export const map: Tool = {
  name: 'map',
  title: 'List a site',
  description: 'List the URLs of a site.',
  price: '1 credit.',
  fields: SITE_FIELDS,
  annotations: READ_ONLY,
  isLong: true,
  call: (args) => ({ method: 'POST', path: '/shapeB/map', body: buildCrawlBody(args, MAP_LIMIT) }),
  write(answer) {
    const urls = readTextList(answer, 'results');
    return { text: urls.length === 0 ? 'No URL of the site was found.' : urls.join('\n') };
  },
};

/** Builds the body of a crawl or map. Its time limit is called `timeout`. Agents want the site itself, not the sites it links to. */
function buildCrawlBody(args: Arguments, limitDefault: number): JsonObject {
  const { url, instructions, max_depth, select_paths, exclude_paths } = args;
  return {
    url,
    instructions,
    max_depth,
    select_paths,
    exclude_paths,
    limit: args.limit ?? limitDefault,
    timeout: args.max_seconds ?? SECONDS_DEFAULT,
    allow_external: false,
  };
}
