import { setTimeout as pause } from 'node:timers/promises';
import { StoreUnavailable } from '../../../contract/errors.ts';
import { type Cluster, ClusterRefusal } from '../connect/cluster.ts';

/** One change of one document. */
export type BulkOperation = {
  index: string;
  id: string;
} & (
  | {
      /** The document, or its JSON. */
      put: object | string;
      /** The version that it must replace; null: the document must not exist; absent: replaces any version. */
      over?: DocumentVersion | null;
    }
  | { update: object }
  | { remove: true }
);

/** The version of a document as it was read. */
export type DocumentVersion = { seqNo: number; primaryTerm: number };
/** The outcome of an operation; `conflict`: the document has changed since it was read. */
export type BulkOutcome = 'done' | 'absent' | 'conflict';

/** Maximum characters and operations per request. */
const CHARS_MAX = 6_000_000;
const OPERATIONS_MAX = 400;
/** Maximum concurrent requests per change: each may wait a second for its pages to become searchable, holding memory of a node. */
const PARTS_AT_ONCE = 3;
const TIMEOUT_MS = 30_000;
const ATTEMPTS_MAX = 6;
const WAIT_FIRST_MS = 100;
const BUSY = new Set([429, 502, 503]);

type Item = { status: number; error?: { reason: string } };

/**
 * Makes the changes, in requests of bounded size; those rejected because the cluster is busy are retried with growing pauses.
 * `wait`: resolves only once searches find them. Rejects with StoreUnavailable when the cluster stays busy; some changes may then
 * have been made.
 */
export async function sendBulk(
  cluster: Cluster,
  operations: readonly BulkOperation[],
  { wait }: { wait: boolean },
): Promise<BulkOutcome[]> {
  const parts = splitParts(operations);
  const outcomes: BulkOutcome[][] = parts.map(() => []);
  const left = parts.entries();
  const sendParts = async (): Promise<void> => {
    for (const [place, part] of left) outcomes[place] = await sendPart(cluster, part, wait);
  };
  await Promise.all(Array.from({ length: PARTS_AT_ONCE }, sendParts));
  return outcomes.flat();
}

type Part = { operation: BulkOperation; lines: string[] }[];

async function sendPart(cluster: Cluster, part: Part, wait: boolean): Promise<BulkOutcome[]> {
  const outcomes: (BulkOutcome | null)[] = part.map(() => null);
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt += 1) {
    if (attempt > 0) await pause(WAIT_FIRST_MS * 2 ** (attempt - 1));
    const left = part.map((_, place) => place).filter((place) => outcomes[place] === null);
    const items = await send(
      cluster,
      left.flatMap((place) => part[place]?.lines ?? []),
      wait,
    );
    for (const [at, item] of items.entries()) {
      const place = left[at];
      if (place !== undefined) outcomes[place] = toOutcome(item);
    }
    if (outcomes.every((outcome) => outcome !== null)) return outcomes as BulkOutcome[];
  }
  throw new StoreUnavailable('The index is busy; try again in a moment.');
}

async function send(cluster: Cluster, lines: string[], wait: boolean): Promise<Item[]> {
  try {
    const { items } = await cluster.request<{ items: Record<string, Item>[] }>({
      method: 'POST',
      path: '/_bulk',
      lines,
      timeoutMs: TIMEOUT_MS,
      repeatsBusy: true,
      query: { refresh: wait ? 'wait_for' : 'false', filter_path: 'items.*.status,items.*.error.reason' },
    });
    return items.map((item) => Object.values(item)[0] as Item);
  } catch (error) {
    // The whole request was rejected.
    if (error instanceof ClusterRefusal && BUSY.has(error.status)) return [];
    throw error;
  }
}

/** Returns null if the operation must be retried. */
function toOutcome({ status, error }: Item): BulkOutcome | null {
  if (status < 300) return 'done';
  if (status === 404) return 'absent';
  if (status === 409) return 'conflict';
  if (BUSY.has(status)) return null;
  throw new ClusterRefusal(status, error?.reason ?? 'no reason');
}

function splitParts(operations: readonly BulkOperation[]): Part[] {
  const parts: Part[] = [];
  let chars = Number.POSITIVE_INFINITY;
  let last = '';
  for (const operation of operations) {
    const lines = formatLines(operation);
    const length = lines.reduce((sum, line) => sum + line.length, 0);
    const isFull = chars + length > CHARS_MAX || (parts.at(-1)?.length ?? 0) >= OPERATIONS_MAX;
    // Operations on one page stay in one request, so that they keep their order.
    if (isFull && operation.id !== last) {
      parts.push([]);
      chars = 0;
    }
    parts.at(-1)?.push({ operation, lines });
    chars += length;
    last = operation.id;
  }
  return parts;
}

function formatLines(operation: BulkOperation): string[] {
  const meta = { _index: operation.index, _id: operation.id };
  if ('remove' in operation) return [JSON.stringify({ delete: meta })];
  if ('update' in operation)
    return [
      JSON.stringify({ update: { ...meta, retry_on_conflict: 5 } }),
      JSON.stringify({ doc: operation.update }),
    ];
  const { over } = operation;
  const seen = over ? { if_seq_no: over.seqNo, if_primary_term: over.primaryTerm } : {};
  return [
    JSON.stringify({ [over === null ? 'create' : 'index']: { ...meta, ...seen } }),
    typeof operation.put === 'string' ? operation.put : JSON.stringify(operation.put),
  ];
}
