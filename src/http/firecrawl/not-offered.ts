import { Failure } from '../../contract/errors.ts';
import type { FreeRoute } from '../calls/call.ts';
import { LIMITS } from '../calls/route-limits.ts';

/** Operations of Firecrawl that this service does not have, and what to use instead. */
const NOT_OFFERED: Record<string, { why: string; names: string[] }> = {
  model: {
    why: 'It takes a model, which this service does not have. Read the page with /v2/scrape and give it to a model of your own.',
    names: ['extract', 'agent', 'agent/threads', 'deep-research', 'llmstxt', 'crawl/params-preview'],
  },
  browser: {
    why: 'It takes a browser session, which this service does not have. /v2/scrape reads pages without one.',
    names: ['browser', 'interact', 'scrape/:id/interact'],
  },
  watch: {
    why: 'This service watches no pages. Repeat /v2/scrape with maxAge 0 when you want to know.',
    names: ['monitor'],
  },
  indexes: {
    why: 'This service has no such index. /v2/search searches all of its sources.',
    names: ['search/research', 'search/developer'],
  },
  upload: {
    why: 'This service reads no uploaded files. /v2/scrape reads files by their address.',
    names: ['parse'],
  },
};

/** Routes that say why an operation is missing, because callers know it from Firecrawl. */
export function notOfferedRoutes(): FreeRoute[] {
  return Object.values(NOT_OFFERED).flatMap(({ why, names }) => {
    const paths = names.flatMap((name) => [`/v2/${name}`, `/firecrawl/v2/${name}`, `/firecrawl/v1/${name}`]);
    const handle = async (): Promise<never> => {
      throw new Failure('not_found', `This operation is not offered. ${why}`);
    };
    const route = { callers: 'anybody', limit: LIMITS.prompt, handle } as const;
    return [
      { ...route, method: 'POST', paths },
      {
        ...route,
        method: 'GET',
        paths: paths.flatMap((path) => (path.includes(':') ? [] : [path, `${path}/:job`])),
      },
    ];
  });
}
