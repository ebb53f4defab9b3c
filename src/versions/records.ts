/**
 * Records of research: what was asked and answered, with the texts of all pages that were read, as they were. A record belongs to its owner
 * alone. It shares the space of the versions, in which its pages are kept as versions of their own: versions that no record needs leave
 * before it, and it leaves as a whole. Pages that are forgotten leave it too. It fetches nothing.
 */
import { randomBytes } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { RECORD_BYTES_MAX } from '../contract/limits.ts';
import { computeContentHash } from '../pages/content-hash.ts';
import { buildPlainArticle } from '../pages/formats/plain-article.ts';
import type { Clock } from '../platform/clock.ts';
import { releaseSpace } from '../platform/store/remove-rows.ts';
import type { VersionStore } from '../platform/store/versions/open-version-store.ts';
import { toSamePageKey } from '../text/urls/url-spelling.ts';
import type { PageRead } from './collect-reads.ts';
import { evictVersions } from './evict-versions.ts';
import { forgetInBody } from './forget-in-body.ts';
import {
  packBody,
  type RecordBody,
  type RecordedPage,
  type RecordName,
  removeRecord,
  selectRecord,
  toTextOwner,
  unpackBody,
} from './record-rows.ts';
import type { PageVersion, Versions } from './versions.ts';

/** What a list shows of a record. Instants are milliseconds since the epoch. */
export type RecordSummary = RecordName & {
  /** The last part of the route's path, such as `search`. */
  operation: string;
  madeAt: number;
  /** What was asked, in one line. */
  title: string;
  /** How many pages it has, and how many pages were taken from it because they were forgotten. */
  pages: number;
  forgotten: number;
  bytes: number;
};

export type ResearchRecord = Omit<RecordSummary, 'pages'> & RecordBody;

/** A record from elsewhere: `texts` are those of its pages, in order; null for one that is not kept. */
type GivenRecord = Omit<ResearchRecord, 'bytes' | 'title'> & { texts: readonly (string | null)[] };

export type Records = {
  /** Keeps what was asked and answered, and the pages that were read for it. */
  keep(
    made: Pick<ResearchRecord, 'owner' | 'operation' | 'request' | 'answer'> & { reads: readonly PageRead[] },
  ): Promise<RecordName>;
  /** Adds a record with its id; one that the owner has already stays as it is. */
  add(record: GivenRecord): Promise<void>;
  /** Lists the records of an owner, or of all, the newest first. */
  list(owner: string | null, limit: number): Promise<RecordSummary[]>;
  find(name: RecordName): Promise<ResearchRecord | null>;
  /** Finds the text of a page of a record; null if it is no longer kept. */
  findPage(name: RecordName, page: RecordedPage): Promise<PageVersion | null>;
  /** Resolves to false if there is no such record. */
  remove(name: RecordName): Promise<boolean>;
  /** Takes pages out of all records; returns from how many. Their texts are versions, which `Versions` forgets. */
  forget(isMeant: (address: string) => boolean): Promise<number>;
};

export const RECORD_ID = /^rec_[0-9a-f]{32}$/;
const ID_BYTES = 16;
const TITLE_CHARS_MAX = 200;
const FORGOTTEN_PER_STEP = 50;

export function createRecords(parts: {
  store: VersionStore;
  versions: Pick<Versions, 'record' | 'findByHash'>;
  bytesMax: number;
  clock: Clock;
}): Records {
  const { store, versions, bytesMax, clock } = parts;
  const { db } = store;

  const keepTexts = async (
    owner: string,
    pages: readonly RecordedPage[],
    texts: GivenRecord['texts'],
  ): Promise<void> => {
    const seen = new Map<string, number>();
    let bytes = 0;
    for (const [place, page] of pages.entries()) {
      const markdown = texts[place] ?? null;
      bytes += Buffer.byteLength(markdown ?? '');
      // Pages beyond the bound are named without their text.
      if (markdown === null || bytes > RECORD_BYTES_MAX.texts) continue;
      const key = toSamePageKey(page.url);
      // One page may have been read twice in one millisecond, with another text.
      const at = Math.max(page.readAt, (seen.get(key) ?? 0) + 1);
      seen.set(key, at);
      const facts = { kind: 'markdown', title: page.title, markdown, rawChars: page.chars } as const;
      const article = buildPlainArticle(page.readFrom, facts);
      await versions.record({
        url: page.url,
        article: { ...article, canonicalUrl: page.declared },
        at,
        owner,
        isCited: true,
      });
    }
  };

  const add: Records['add'] = async ({ owner, id, operation, madeAt, forgotten, texts, ...body }) => {
    const packed = packBody(body);
    const title = describeRequest(body.request);
    const { numInsertedOrUpdatedRows: added } = await db
      .insertInto('research_record')
      .values({
        owner,
        id,
        operation,
        made_at: madeAt,
        title,
        pages: body.pages.length,
        forgotten,
        bytes: packed.length,
        body: packed,
      })
      .onConflict((conflict) => conflict.columns(['owner', 'id']).doNothing())
      .executeTakeFirst();
    if (added === 0n) return;
    await keepTexts(toTextOwner({ owner, id }), body.pages, texts);
    await evictVersions(store, bytesMax);
  };

  return {
    async keep({ owner, operation, request, answer, reads }) {
      const id = `rec_${randomBytes(ID_BYTES).toString('hex')}`;
      const texts = new Map(reads.map((read) => [nameText(read), read]));
      const kept = [...texts.values()];
      await add({
        owner,
        id,
        operation,
        madeAt: clock.now(),
        request,
        answer,
        forgotten: 0,
        pages: kept.map(toRecordedPage),
        texts: kept.map(({ article }) => article.markdown),
      });
      return { owner, id };
    },
    add,
    async list(owner, limit) {
      const columns = [
        'owner',
        'id',
        'operation',
        'made_at',
        'title',
        'pages',
        'forgotten',
        'bytes',
      ] as const;
      const all = db.selectFrom('research_record').select(columns);
      const rows = await (owner === null ? all : all.where('owner', '=', owner))
        .orderBy('made_at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit)
        .execute();
      return rows.map(({ made_at: madeAt, ...row }) => ({ ...row, madeAt }));
    },
    async find(name) {
      const row = await selectRecord(db, name)
        .select(['owner', 'id', 'operation', 'made_at', 'title', 'forgotten', 'bytes', 'body'])
        .executeTakeFirst();
      if (row === undefined) return null;
      const { made_at: madeAt, body, ...rest } = row;
      return { ...rest, madeAt, ...unpackBody(body) };
    },
    findPage: (name, { url, contentHash }) =>
      versions.findByHash(url, contentHash, { owner: toTextOwner(name) }),
    remove: (name) => removeRecord(store, name),
    async forget(isMeant) {
      let changed = 0;
      for (let after: RecordName = { owner: '', id: '' }; ; await setImmediate()) {
        const { owner, id } = after;
        const rows = await db
          .selectFrom('research_record')
          .select(['owner', 'id', 'forgotten', 'body'])
          .where(({ eb, or, and }) =>
            or([eb('owner', '>', owner), and([eb('owner', '=', owner), eb('id', '>', id)])]),
          )
          .orderBy('owner')
          .orderBy('id')
          .limit(FORGOTTEN_PER_STEP)
          .execute();
        for (const { body, forgotten, ...name } of rows) {
          const left = forgetInBody(unpackBody(body), isMeant);
          if (left === null) continue;
          const packed = packBody(left.body);
          await db
            .updateTable('research_record')
            .set({
              body: packed,
              bytes: packed.length,
              title: describeRequest(left.body.request),
              pages: left.body.pages.length,
              forgotten: forgotten + left.forgotten,
            })
            .where('owner', '=', name.owner)
            .where('id', '=', name.id)
            .execute();
          changed += 1;
        }
        const last = rows.at(-1);
        if (last === undefined) break;
        after = last;
      }
      if (changed > 0 && store.dialect === 'sqlite') await releaseSpace(db);
      return changed;
    },
  };
}

const nameText = ({ article }: PageRead): string => `${article.url} ${computeContentHash(article.markdown)}`;

function toRecordedPage({ url, article, at }: PageRead): RecordedPage {
  return {
    url,
    readFrom: article.url,
    declared: article.canonicalUrl,
    title: article.title,
    readAt: at,
    contentHash: computeContentHash(article.markdown),
    chars: article.markdown.length,
  };
}

function describeRequest({ query, question, urls, ids }: RecordBody['request']): string {
  const texts = [query ?? question ?? urls ?? ids ?? ''].flat();
  return texts.join(' ').replace(/\s+/g, ' ').trim().slice(0, TITLE_CHARS_MAX).toWellFormed();
}
