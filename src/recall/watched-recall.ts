import type { Clock } from '../platform/clock.ts';
import type { Recall } from './recall.ts';
import { createCallRecord, figuresOf } from './upstream/call-record.ts';
import { NOTHING_KNOWN, type SourceReading } from './upstream/upstream-types.ts';

/** The local index with a record of how it answers. `recall` is null when it is not to be asked. */
export function watchRecall(
  own: Recall,
  { isAsked, clock }: { isAsked: boolean; clock: Clock },
): { recall: Recall | null; reading(): SourceReading } {
  const record = createCallRecord();
  const find: Recall['find'] = async (query) => {
    const begun = clock.now();
    try {
      const found = await own.find(query);
      record.add({ ok: true, ms: clock.now() - begun });
      return found;
    } catch (error) {
      record.add({ ok: false, ms: clock.now() - begun });
      throw error;
    }
  };
  return {
    recall: isAsked ? { ...own, find } : null,
    reading: () => ({
      ...NOTHING_KNOWN,
      name: own.name,
      about: 'the pages that were read, crawled or imported here',
      scope: 'index',
      terms: null,
      state: isAsked ? 'on' : 'off',
      why: isAsked ? null : 'RECALL does not name it',
      ...figuresOf(record),
    }),
  };
}
