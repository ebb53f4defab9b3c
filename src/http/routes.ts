import { Failure, fetchFailed } from '../errors.ts';
import type { Contents } from '../retrieval/contents.ts';
import type { Read } from '../retrieval/read.ts';
import type { Search } from '../retrieval/search.ts';
import type { Route } from './call.ts';
import { healthz, readyz } from './health.ts';
import { landing } from './landing.ts';
import { readerFace } from './reader.ts';
import { READER_PATH } from './request-target.ts';
import { contentsFace } from './v1/contents.ts';
import { searchFace } from './v1/search.ts';

/** What the routes stand on. */
export type RouteParts = {
  search: Search;
  contents: Contents;
  read: Read;
  /** Rejects when the store does not answer. */
  ping(): Promise<void>;
  isDraining(): boolean;
};

const searchLimit = {
  ms: 8_000,
  late: () => new Failure('recall_unavailable', 'The search took too long; try again in a moment.'),
};
const pageLimit = { ms: 18_000, late: () => fetchFailed('timeout', 'The page took too long.') };
const promptly = { ms: 1_000, late: () => new Failure('overloaded', 'The service does not answer in time.') };

/** The whole interface. */
export function routesOf(parts: RouteParts): Route[] {
  const { search, contents, read } = parts;
  return [
    {
      method: 'POST',
      paths: ['/v1/search', '/search', '/shapeA/search'],
      callers: 'known',
      limit: searchLimit,
      handle: searchFace(search),
    },
    {
      method: 'POST',
      paths: ['/v1/contents', '/contents', '/shapeA/contents'],
      callers: 'known',
      limit: pageLimit,
      handle: contentsFace(contents),
    },
    { method: 'GET', paths: [READER_PATH], callers: 'known', limit: pageLimit, handle: readerFace(read) },
    { method: 'GET', paths: ['/healthz'], callers: 'anybody', limit: promptly, handle: healthz },
    { method: 'GET', paths: ['/readyz'], callers: 'anybody', limit: promptly, handle: readyz(parts) },
    { method: 'GET', paths: ['/'], callers: 'anybody', limit: promptly, handle: landing },
  ];
}
