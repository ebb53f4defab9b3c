import type { Rerank } from '../../search/rerank.ts';
import type { Search } from '../../search/search.ts';
import type { Route } from '../calls/call.ts';
import { LIMITS } from '../calls/route-limits.ts';
import { readForm } from '../drop-in/parameters.ts';
import { SEARCH_PATH } from '../server/request-target.ts';
import { rerankHandler } from './rerank.ts';
import { jinaSearchHandler } from './search.ts';

/** What the routes of this shape use. */
export type JinaRouteDeps = {
  rerank: Rerank;
  search: Search;
};

/**
 * Where rerankers are looked for: Jina and the first version of Cohere, servers of models that leave the version out, and the
 * second version of Cohere.
 */
const RERANK_PATHS = ['/v1/rerank', '/rerank', '/v2/rerank'];

/**
 * The routes in the shapes of Jina. Its reader is the service's own, in `reader/`. Failures are worded in the first shape, because
 * its clients read the status and show the text as it is.
 */
export function jinaRoutes({ rerank, search }: JinaRouteDeps): Route[] {
  const prepare = jinaSearchHandler(search);
  const paths = [SEARCH_PATH];
  const searching = { callers: 'payer', paths, limit: LIMITS.search, prepare } as const;
  return [
    { ...searching, method: 'GET', noHead: true },
    { ...searching, method: 'POST', readBody: readForm },
    {
      method: 'POST',
      paths: RERANK_PATHS,
      callers: 'payer',
      limit: LIMITS.rerank,
      prepare: rerankHandler(rerank),
    },
  ];
}
