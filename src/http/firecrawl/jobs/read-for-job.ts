import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import type { ReadForJob } from '../../../jobs/job-types.ts';
import { textOfArticle } from '../../../pages/article.ts';
import type { OpenPage } from '../../../pages/open-page-types.ts';
import type { PruneWorker } from '../../../search/prune-worker.ts';
import type { JsonObject } from '../../calls/call.ts';
import { parseBody } from '../../calls/wire.ts';
import { toDocument } from '../document.ts';
import { buildScrape, type Rendering, type Scrape, scrapeOptions, VERBATIM } from '../scrape-fields.ts';

const Options = z.object(scrapeOptions);

/**
 * Creates the reader of pages for jobs. It works as POST /v2/scrape does, with the options that the job stores as its caller wrote them.
 */
export function createReadForJob({
  openPage,
  prune,
  rendersPages,
}: Rendering & { openPage: OpenPage; prune: PruneWorker }): ReadForJob {
  const parsed = new WeakMap<object, Scrape>();
  const parseScrape = (reading: JsonObject): Scrape => {
    const scrape =
      parsed.get(reading) ??
      buildScrape(parseBody(Options, reading, { verbatim: VERBATIM }), { rendersPages });
    parsed.set(reading, scrape);
    return scrape;
  };
  return async (url, { reading, keep, tenant, signal }) => {
    // The cast is safe: the object was validated when the job was ordered.
    const { formats, opening, parts, keep: mayKeep } = parseScrape(reading as JsonObject);
    const page = await openPage(url, { ...opening, tenant, signal, keep: keep && mayKeep });
    const { article, extras, cache, fetchedAt } = page;
    const markdown = extras?.markdown ?? article.markdown;
    const about = { sourceUrl: url, formats, scrapeId: randomUUID() };
    const text = { ...textOfArticle(article), markdown };
    const [takenParts] =
      parts === undefined ? [] : await prune([text], { wanted: parts, query: null, tenant }, signal);
    const { late: incomplete = [], ...taken } = takenParts ?? {};
    const read = {
      markdown,
      article,
      cache,
      fetchedAt,
      incomplete,
      ...(extras === undefined ? {} : { extras }),
      parts: taken,
    };
    return { page, document: JSON.stringify(toDocument(read, about)) };
  };
}
