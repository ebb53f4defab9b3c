import type { LocalIndex } from '../index/local-index-types.ts';
import type { RebuildState, SearchAnswer } from './search-types.ts';

/** Returns what answers report while the local index is being rebuilt; null when it is complete. */
export function readRebuildState(index: Pick<LocalIndex, 'rebuilding'>): RebuildState | null {
  const rebuilding = index.rebuilding();
  return rebuilding === null ? null : { state: 'rebuilding', ...rebuilding };
}

/** Time limit for the answer of the cluster: callers of readiness do not wait long. */
const CLUSTER_TIMEOUT_MS = 700;

/** Returns whether the cluster with the index answers; null where the index is a file. */
export function checkClusterState(
  index: Pick<LocalIndex, 'place' | 'epoch'>,
): Promise<'reachable' | 'unreachable'> | null {
  if (index.place().engine === 'sqlite') return null;
  const late = new Promise<'unreachable'>((resolve) => {
    setTimeout(resolve, CLUSTER_TIMEOUT_MS, 'unreachable').unref();
  });
  const asked = Promise.resolve(index.epoch()).then(
    () => 'reachable' as const,
    () => 'unreachable' as const,
  );
  return Promise.race([asked, late]);
}

/** Wraps an operation so that its answers, cached ones too, report that the local index is being rebuilt. */
export function reportRebuild<Request, Answer extends SearchAnswer>(
  operation: (request: Request) => Promise<Answer>,
  index: Pick<LocalIndex, 'rebuilding'>,
): (request: Request) => Promise<Answer> {
  return async (request) => {
    const answer = await operation(request);
    const state = readRebuildState(index);
    return state === null ? answer : { ...answer, index: state };
  };
}
