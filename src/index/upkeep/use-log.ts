import type { Background } from '../../platform/background.ts';
import type { LocalIndex } from '../local-index-types.ts';

/** Collects which pages were used and writes them in batches, so that no search waits for a write. */
type UseLog = {
  /** Records that pages were shown in results or read. */
  note(urls: string[]): void;
  /** Writes what has been collected. */
  flush(): Promise<void>;
};

const BATCH_MAX = 500;

/** A full batch starts a write; the rest waits for `flush`. */
export function createUseLog({
  index,
  background,
}: {
  index: Pick<LocalIndex, 'use'>;
  background: Background;
}): UseLog {
  let noted = new Set<string>();
  const flush = async (): Promise<void> => {
    if (noted.size === 0) return;
    const urls = [...noted];
    noted = new Set();
    await index.use(urls);
  };
  return {
    note(urls) {
      for (const url of urls) noted.add(url);
      if (noted.size >= BATCH_MAX) background.run('note the use of pages', flush);
    },
    flush,
  };
}
