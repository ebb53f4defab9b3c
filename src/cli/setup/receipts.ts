import { createHash, randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import type { UserPlace } from './clients.ts';

/** Where two texts differ, as one stretch: at `start`, `removed` was replaced by a text of this length and hash. */
type Splice = { start: number; insertedLength: number; insertedHash: string; removed: string };

/** What undoes one change of a file. It holds nothing of the file but what was replaced. */
export type Receipt = Splice & {
  /** The file did not exist before. */
  isNew: boolean;
  /** Folders that were created for it, outermost first. */
  folders: string[];
};

const Receipts = z.record(
  z.string(),
  z.object({
    start: z.number(),
    insertedLength: z.number(),
    insertedHash: z.string(),
    removed: z.string(),
    isNew: z.boolean(),
    folders: z.array(z.string()),
  }),
);

/** Finds the shortest single stretch whose replacement turns one text into the other. */
export function findSplice(before: string, after: string): Splice {
  const most = Math.min(before.length, after.length);
  let start = 0;
  while (start < most && before[start] === after[start]) start++;
  let end = 0;
  while (end < most - start && before.at(-1 - end) === after.at(-1 - end)) end++;
  const inserted = after.slice(start, after.length - end);
  return {
    start,
    insertedLength: inserted.length,
    insertedHash: hashText(inserted),
    removed: before.slice(start, before.length - end),
  };
}

/** Undoes a splice where its text still stands in its place; else null. */
export function undoSplice(text: string, splice: Splice): string | null {
  const end = splice.start + splice.insertedLength;
  if (hashText(text.slice(splice.start, end)) !== splice.insertedHash) return null;
  return text.slice(0, splice.start) + splice.removed + text.slice(end);
}

function hashText(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** The receipts of all changes that setup has made for this user, by path of the file. */
export type ReceiptBook = {
  get(path: string): Receipt | undefined;
  /** Stores a receipt, or forgets it. A replaced text may hold a key: only its user may read the book. */
  put(path: string, receipt: Receipt | null): void;
};

/** Opens the book in the folder that the XDG specification gives to state. An unreadable one counts as empty: files are then edited by what they hold. */
export function openReceipts({ home, variables }: UserPlace): ReceiptBook {
  const file = join(variables.XDG_STATE_HOME || join(home, '.local/state'), 'sanderling/setup.json');
  const receipts = new Map(Object.entries(readReceipts(file)));
  return {
    get: (path) => receipts.get(path),
    put(path, receipt) {
      if (receipt === null) receipts.delete(path);
      else receipts.set(path, receipt);
      if (receipts.size === 0) return rmSync(dirname(file), { recursive: true, force: true });
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
      const temporary = `${file}.${randomUUID()}`;
      writeFileSync(temporary, `${JSON.stringify(Object.fromEntries(receipts), null, 2)}\n`, { mode: 0o600 });
      renameSync(temporary, file);
    },
  };
}

function readReceipts(file: string): z.infer<typeof Receipts> {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw error;
  }
  try {
    return Receipts.parse(JSON.parse(text));
  } catch {
    return {};
  }
}
