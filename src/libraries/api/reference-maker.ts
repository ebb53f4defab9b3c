import { runWithTimeout } from '../../platform/clock.ts';
import { createThread, ThreadEnded } from '../../platform/threads/thread.ts';
import { resolveThreadModule } from '../../platform/threads/thread-modules.ts';
import type { PackageReference, PackageSources, ReferenceCalls } from './reference-thread.ts';

/** Makes the API reference of one package. Rejects, with the reason, if that takes too much time or memory, or the grammars are absent. */
export type MakeReference = (sources: PackageSources, signal: AbortSignal) => Promise<PackageReference>;

/** Maximum time and heap of one package. The memory of WebAssembly is bounded by the grammars themselves. */
export const PACKAGE_MS_MAX = 120_000;
const HEAP_MEGABYTES_MAX = 1_024;

/**
 * Each package has a thread of its own, which ends with it: a hostile package can stop no other, and memory of WebAssembly is given
 * back only when its thread ends. `file` is the thread's module.
 */
export function createReferenceMaker(
  file: URL = resolveThreadModule('libraries/api/reference-thread'),
): MakeReference {
  return async (sources, signal) => {
    const thread = createThread<ReferenceCalls>(file, { heapMegabytesMax: HEAP_MEGABYTES_MAX });
    try {
      return await runWithTimeout({ signal, ms: PACKAGE_MS_MAX }, (inTime) =>
        thread.call('createReference', sources, { signal: inTime }),
      );
    } catch (error) {
      signal.throwIfAborted();
      throw explainEnd(error as Error);
    } finally {
      await thread.end();
    }
  };
}

function explainEnd(cause: Error): Error {
  if (cause.name === 'TimeoutError')
    return new Error(`reading the sources took more than ${PACKAGE_MS_MAX / 1_000} seconds and was ended`, {
      cause,
    });
  const { code } = (cause.cause ?? {}) as NodeJS.ErrnoException;
  if (cause instanceof ThreadEnded && code === 'ERR_WORKER_OUT_OF_MEMORY')
    return new Error(`reading the sources needs more than ${HEAP_MEGABYTES_MAX} MB and was ended`, { cause });
  return cause;
}
