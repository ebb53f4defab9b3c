import type { Rerank } from '../../search/rerank.ts';
import type { Route } from '../calls/call.ts';
import { LIMITS } from '../calls/route-limits.ts';
import { rerankHandler } from './rerank.ts';

/** What the routes of this shape use. */
export type JinaRouteDeps = {
  rerank: Rerank;
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
export function jinaRoutes({ rerank }: JinaRouteDeps): Route[] {
  return [
    {
      method: 'POST',
      paths: RERANK_PATHS,
      callers: 'payer',
      limit: LIMITS.rerank,
      prepare: rerankHandler(rerank),
    },
  ];
}
