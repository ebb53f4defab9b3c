import type { DatabaseSync } from 'node:sqlite';
import { createPostings, openChunk, readHash, readPostings } from './posting-format.ts';
import { CHUNKS_MAX, unpackFirsts, unpackPages } from './segment-schema.ts';

/** Checks the postings for consistency, with each other and with the pages; empty when all agree. */
export function findPostingProblems(database: DatabaseSync): string[] {
  const problems: string[] = [];
  const gone = new Set(
    database
      .prepare('select page_id from gone')
      .all()
      .map((row) => Number(row.page_id)),
  );
  const isPage = database.prepare('select 1 from page where id = ?');
  const chunk = database.prepare('select data from posting where id = ?');
  let posted = 0;
  let lastId = 0;
  for (const row of database.prepare('select * from segment where is_whole = 1 order by first_id').all()) {
    const [id, count, firstId] = [Number(row.id), Number(row.count), Number(row.first_id)];
    if (firstId <= lastId) problems.push(`segment ${id} overlaps with the one before it`);
    lastId = Number(row.last_id);
    for (const offset of unpackPages(row.pages as Uint8Array, count).offsets) {
      const isHeld = isPage.get(firstId + offset) !== undefined;
      if (isHeld) posted += 1;
      if (isHeld === gone.has(firstId + offset))
        problems.push(
          `segment ${id} has page ${firstId + offset}, which ${isHeld ? 'counts as gone' : 'does not exist'}`,
        );
    }
    for (const [number, first] of unpackFirsts(row.chunks as Uint8Array).entries()) {
      const data = chunk.get(id * CHUNKS_MAX + number)?.data as Uint8Array | undefined;
      if (data === undefined || !isSound(data, { first, count }))
        problems.push(`chunk ${number} of segment ${id} is damaged`);
    }
  }
  const pages = Number(database.prepare('select count(*) as n from page').get()?.n);
  if (pages !== posted) problems.push(`pages without postings: ${pages - posted}`);
  return problems;
}

/** Returns whether a chunk begins with the hash `first`, has its hashes in order, and contains only places of its segment, in order. */
function isSound(data: Uint8Array, { first, count }: { first: number; count: number }): boolean {
  const chunk = openChunk(data);
  const postings = createPostings();
  let last = -1;
  for (let term = 0; term < chunk.terms; term += 1) {
    const hash = readHash(chunk, term);
    if (hash <= last || (term === 0 && hash !== first)) return false;
    last = hash;
    readPostings(chunk, term, postings);
    const places = postings.places.subarray(0, postings.count);
    if (places.some((place, at) => place >= count || (at > 0 && place < (places[at - 1] ?? 0)))) return false;
  }
  return true;
}
