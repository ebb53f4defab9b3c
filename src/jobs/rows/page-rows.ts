import type { JobQueries } from '../../platform/store/jobs/open-job-store.ts';

/** A page that enters the answer if its batch is paid. */
export type NewPage = { number: number; key: string; document: string };

export async function insertPages(
  tx: JobQueries,
  { jobId, batch, pages }: { jobId: string; batch: number; pages: NewPage[] },
): Promise<void> {
  for (const { number, key, document } of pages)
    await tx
      .insertInto('job_page')
      .values({
        job_id: jobId,
        number,
        page_key: key,
        batch,
        place: null,
        document,
        bytes: Buffer.byteLength(document),
      })
      .execute();
}

/** Lists the keys of all pages of a job. */
export async function listPageKeys(db: JobQueries, jobId: string): Promise<string[]> {
  const rows = await db.selectFrom('job_page').select('page_key').where('job_id', '=', jobId).execute();
  return rows.map(({ page_key }) => page_key);
}

/** Lists the numbers of the pages of a batch, in order. */
export async function listBatchPageNumbers(
  db: JobQueries,
  { jobId, batch }: { jobId: string; batch: number },
): Promise<number[]> {
  const rows = await db
    .selectFrom('job_page')
    .select('number')
    .where('job_id', '=', jobId)
    .where('batch', '=', batch)
    .orderBy('number')
    .execute();
  return rows.map(({ number }) => number);
}

/** Puts pages into the answer, at consecutive places starting at `first`. */
export async function placePages(
  tx: JobQueries,
  { jobId, numbers, first }: { jobId: string; numbers: number[]; first: number },
): Promise<void> {
  for (const [at, number] of numbers.entries())
    await tx
      .updateTable('job_page')
      .set({ place: first + at })
      .where('job_id', '=', jobId)
      .where('number', '=', number)
      .execute();
}

export async function deletePages(
  tx: JobQueries,
  { jobId, numbers }: { jobId: string; numbers: number[] },
): Promise<void> {
  if (numbers.length === 0) return;
  await tx.deleteFrom('job_page').where('job_id', '=', jobId).where('number', 'in', numbers).execute();
}

/** Lists the documents after a place, in order: at most `limit`, and at most `bytesMax` bytes but at least one document. */
export async function listDocumentsAfter(
  db: JobQueries,
  { jobId, place, limit, bytesMax }: { jobId: string; place: number; limit: number; bytesMax: number },
): Promise<{ documents: string[]; last: number }> {
  const sizes = await db
    .selectFrom('job_page')
    .select(['place', 'bytes'])
    .where('job_id', '=', jobId)
    .where('place', '>', place)
    .orderBy('place')
    .limit(limit)
    .execute();
  let bytes = 0;
  const fitting = sizes.filter((page, at) => {
    bytes += page.bytes;
    return at === 0 || bytes <= bytesMax;
  });
  const last = place + fitting.length;
  const rows = await db
    .selectFrom('job_page')
    .select('document')
    .where('job_id', '=', jobId)
    .where('place', '>', place)
    .where('place', '<=', last)
    .orderBy('place')
    .execute();
  return { documents: rows.map(({ document }) => document), last };
}

/** Finds the document of one page; null if it is gone. */
export async function findDocument(
  db: JobQueries,
  { jobId, number }: { jobId: string; number: number },
): Promise<string | null> {
  const row = await db
    .selectFrom('job_page')
    .select('document')
    .where('job_id', '=', jobId)
    .where('number', '=', number)
    .executeTakeFirst();
  return row?.document ?? null;
}
