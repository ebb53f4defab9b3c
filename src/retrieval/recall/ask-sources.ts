import type { Candidate } from '../page.ts';
import type { SourceReport } from '../search.ts';
import { startStopwatch } from '../stopwatch.ts';
import type { Recall, RecallQuery } from './recall.ts';

export type AskedSources = { candidates: Candidate[]; reports: Record<string, SourceReport> };

/** Asks all sources at once; one that fails or outlives the signal is a report, and the others count. */
export async function askSources(sources: Recall[], query: RecallQuery): Promise<AskedSources> {
  const answers = await Promise.all(sources.map((source) => ask(source, query)));
  return {
    candidates: answers.flatMap(({ candidates }) => candidates),
    reports: Object.fromEntries(answers.map(({ name, report }) => [name, report])),
  };
}

async function ask(
  source: Recall,
  query: RecallQuery,
): Promise<{ name: string; candidates: Candidate[]; report: SourceReport }> {
  const { name } = source;
  const watch = startStopwatch();
  try {
    const candidates = await Promise.race([source.find(query), rejectOnAbort(query.signal)]);
    return {
      name,
      candidates,
      report: { ok: true, results: candidates.length, ms: watch.stop().total ?? 0 },
    };
  } catch (error) {
    const message = query.signal.aborted ? 'timeout' : error instanceof Error ? error.message : 'failed';
    return { name, candidates: [], report: { ok: false, error: message, ms: watch.stop().total ?? 0 } };
  }
}

function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
