/** The shapes of Jina and Cohere: search with page texts (`/s`) and reranking. Jina's reader is the service's own, in reader/. */
import type { Rerank } from '../../search/rerank.ts';
import type { Search } from '../../search/search.ts';
import type { Route } from '../calls/call.ts';
import { LIMITS } from '../calls/route-limits.ts';
import { readForm } from '../drop-in/parameters.ts';
import { SEARCH_PATH } from '../server/request-target.ts';
import { createRerankHandler } from './rerank.ts';
import { createJinaSearchHandler } from './search.ts';

/** Dependencies of the routes. */
export type JinaRouteDeps = {
  rerank: Rerank;
  search: Search;
};

/** Paths of rerankers: Jina and version 1 of Cohere, model servers without a version in the path, and version 2 of Cohere. */
const RERANK_PATHS = ['/v1/rerank', '/rerank', '/v2/rerank'];

/** Builds the routes. Failures are worded in the first shape, because the clients read the status and show the text unchanged. */
export function buildJinaRoutes({ rerank, search }: JinaRouteDeps): Route[] {
  const prepare = createJinaSearchHandler(search);
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
      prepare: createRerankHandler(rerank),
    },
  ];
}
