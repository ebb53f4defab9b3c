import type { LocalIndex } from '../index/local-index-types.ts';
import type { RebuildState, SearchAnswer } from './search-types.ts';

/** What answers say while the local index is being rebuilt; null: it is whole. */
export function rebuildState(index: Pick<LocalIndex, 'rebuilding'>): RebuildState | null {
  const rebuilding = index.rebuilding();
  return rebuilding === null ? null : { state: 'rebuilding', ...rebuilding };
}

/** Readiness is asked for with little patience. */
const PATIENCE_MS = 700;

/** How the cluster with the index is; null where the index is a file. */
export function clusterState(
  index: Pick<LocalIndex, 'place' | 'epoch'>,
): Promise<'reachable' | 'unreachable'> | null {
  if (index.place().engine === 'sqlite') return null;
  const late = new Promise<'unreachable'>((resolve) => {
    setTimeout(resolve, PATIENCE_MS, 'unreachable').unref();
  });
  const asked = Promise.resolve(index.epoch()).then(
    () => 'reachable' as const,
    () => 'unreachable' as const,
  );
  return Promise.race([asked, late]);
}

/** The same operation, whose answers, kept ones too, say that the local index is being rebuilt. */
export function nameRebuild<Request, Answer extends SearchAnswer>(
  operation: (request: Request) => Promise<Answer>,
  index: Pick<LocalIndex, 'rebuilding'>,
): (request: Request) => Promise<Answer> {
  return async (request) => {
    const answer = await operation(request);
    const state = rebuildState(index);
    return state === null ? answer : { ...answer, index: state };
  };
}
