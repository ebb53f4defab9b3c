import type { Article } from '../../src/pages/article.ts';
import { EXTRACTOR_VERSION } from '../../src/pages/page-cache.ts';
import { openStore } from '../../src/platform/store/open-store.ts';

/** Writes copies of pages that were read just now, as a server keeps them. */
export async function keepPages(dataDir: string, articles: Iterable<Article>): Promise<void> {
  const store = await openStore(dataDir);
  try {
    const now = Date.now();
    await store.transaction().execute(async (kept) => {
      for (const article of articles) {
        const json = JSON.stringify({ version: EXTRACTOR_VERSION, article });
        await kept
          .insertInto('page_cache')
          .values({
            url: article.url,
            article: json,
            etag: null,
            last_modified: null,
            fetched_at: now,
            used_at: now,
            bytes: Buffer.byteLength(json),
          })
          .execute();
      }
    });
  } finally {
    await store.destroy();
  }
}
