import { Failure } from '../../contract/errors.ts';
import type { FreeRoute } from '../calls/call.ts';
import { LIMITS } from '../calls/route-limits.ts';

/** Operations of another service that this one does not have: their paths, and what to use instead. */
type MissingOperations = { bases: string[]; operations: { why: string; names: string[] }[] };

const NO_MODEL = 'It takes a model, which this service does not have.';

const FIRECRAWL: MissingOperations = {
  bases: ['/v2', '/firecrawl/v2', '/firecrawl/v1'],
  operations: [
    {
      why: `${NO_MODEL} Read the page with /v2/scrape and give it to a model of your own.`,
      names: ['extract', 'agent', 'agent/threads', 'deep-research', 'llmstxt', 'crawl/params-preview'],
    },
    {
      why: 'It takes a browser session, which this service does not have. /v2/scrape reads pages without one.',
      names: ['browser', 'interact', 'scrape/:id/interact'],
    },
    {
      why: 'This service watches no pages. Repeat /v2/scrape with maxAge 0 when you want to know.',
      names: ['monitor'],
    },
    {
      why: 'This service has no such index. /v2/search searches all of its sources.',
      names: ['search/research', 'search/developer', 'search/gov'],
    },
    {
      why: 'This service reads no uploaded files. /v2/scrape reads files by their address.',
      names: ['parse'],
    },
    {
      why: 'There are no billing periods. GET /shapeB/usage says what a key has used in this month.',
      names: ['team/credit-usage/historical', 'team/token-usage/historical'],
    },
  ],
};

const EXA: MissingOperations = {
  bases: ['', '/shapeA'],
  operations: [
    {
      why: `${NO_MODEL} POST /v1/research answers a question with quoted evidence instead.`,
      names: ['research/v1', 'research/v0/tasks', 'agent/runs'],
    },
    {
      why: 'This service watches no queries. Repeat POST /v1/search with startPublishedDate when you want to know.',
      names: ['monitors', 'agent/monitors'],
    },
    {
      why: 'This service has no websets. POST /v1/search with contents finds and reads pages.',
      names: ['websets/v0/websets', 'v0/websets'],
    },
  ],
};

const LINKUP: MissingOperations = {
  bases: ['/linkup/v1'],
  operations: [
    {
      why: `${NO_MODEL} POST /v1/research answers a question with quoted evidence instead.`,
      names: ['research'],
    },
    { why: 'This service keeps no tasks. Call /search and /fetch themselves.', names: ['tasks'] },
  ],
};

/** Builds routes that explain why an operation is missing; callers know it from another service. */
export function buildNotOfferedRoutes(): FreeRoute[] {
  return [FIRECRAWL, EXA, LINKUP].flatMap(({ bases, operations }) =>
    operations.flatMap(({ why, names }) =>
      buildRefusingRoutes(
        names.flatMap((name) => bases.map((base) => `${base}/${name}`)),
        why,
      ),
    ),
  );
}

/** Refuses to start, list and show jobs of the operation. */
function buildRefusingRoutes(paths: string[], why: string): FreeRoute[] {
  const handle = async (): Promise<never> => {
    throw new Failure('not_found', `This operation is not offered. ${why}`);
  };
  const route = { callers: 'anybody', limit: LIMITS.prompt, handle } as const;
  const listed = paths.flatMap((path) => (path.includes(':') ? [] : [path, `${path}/:job`]));
  return [
    { ...route, method: 'POST', paths },
    { ...route, method: 'GET', paths: listed },
  ];
}
