import { createFetchFailure } from '../../../contract/errors.ts';

/** The streams of a compound file by their path, such as "__recip_version1.0_#00000000/__substg1.0_3001001F". */
type CompoundFile = { names: string[]; bytes(name: string): Uint8Array | null };

const FREE_FROM = 0xfffffffa;
const ENTRIES_MAX = 20_000;
const DEPTH_MAX = 10;
const ROOT = 5;
const STREAM = 2;

type Entry = {
  name: string;
  type: number;
  left: number;
  right: number;
  child: number;
  start: number;
  size: number;
};

/** Reads the directory of a compound file (MS-CFB), the container of Outlook's messages. Throws `fetch_failed` for damaged ones. */
export function openCompoundFile(bytes: Uint8Array): CompoundFile {
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (data.length < 512) throw damaged();
  const sectorBytes = 1 << Math.min(data.readUInt16LE(30), 12);
  if (sectorBytes < 512) throw damaged();
  const sectors = Math.ceil(data.length / sectorBytes);
  const sector = (at: number): Buffer => data.subarray((at + 1) * sectorBytes, (at + 2) * sectorBytes);
  const fat = readFat(data, { sector, sectorBytes, sectors });
  /** The bytes of a chain of sectors; one that leads back into itself ends with the file. */
  const chain = (start: number): Buffer => {
    const parts: Buffer[] = [];
    for (let at = start; at < FREE_FROM && parts.length <= sectors; at = fat[at] ?? FREE_FROM)
      parts.push(sector(at));
    return Buffer.concat(parts);
  };
  const entries = readDirectory(chain(data.readUInt32LE(48)));
  const root = entries[0];
  if (root === undefined || root.type !== ROOT) throw damaged();
  const smallFat = chain(data.readUInt32LE(60));
  const small = chain(root.start);
  const largeFrom = data.readUInt32LE(56);
  const smallChain = (start: number, size: number): Buffer => {
    const parts: Buffer[] = [];
    for (let at = start; at < FREE_FROM && parts.length * 64 < size; ) {
      parts.push(small.subarray(at * 64, at * 64 + 64));
      at = 4 * at + 4 <= smallFat.length ? smallFat.readUInt32LE(4 * at) : FREE_FROM;
    }
    return Buffer.concat(parts);
  };
  const streams = streamsOf(entries, root.child);
  return {
    names: [...streams.keys()],
    bytes(name) {
      const entry = streams.get(name);
      if (entry === undefined) return null;
      const { start, size } = entry;
      return (size < largeFrom ? smallChain(start, size) : chain(start)).subarray(0, size);
    },
  };
}

/** Which sector follows each. The list of its own sectors begins in the header. */
function readFat(
  data: Buffer,
  { sector, sectorBytes, sectors }: { sector(at: number): Buffer; sectorBytes: number; sectors: number },
): Uint32Array {
  const own: number[] = [];
  for (let at = 0; at < 109; at += 1) own.push(data.readUInt32LE(76 + 4 * at));
  let more = data.readUInt32LE(68);
  for (let seen = 0; more < FREE_FROM && seen < sectors; seen += 1) {
    const list = sector(more);
    if (list.length < sectorBytes) break;
    for (let at = 0; at + 8 <= sectorBytes; at += 4) own.push(list.readUInt32LE(at));
    more = list.readUInt32LE(sectorBytes - 4);
  }
  const fat = new Uint32Array(sectors + sectorBytes / 4).fill(FREE_FROM);
  let place = 0;
  for (const at of own) {
    const part = at < FREE_FROM ? sector(at) : Buffer.alloc(0);
    for (let next = 0; next + 4 <= part.length && place < fat.length; next += 4) {
      fat[place] = part.readUInt32LE(next);
      place += 1;
    }
  }
  return fat;
}

function readDirectory(data: Buffer): Entry[] {
  const entries: Entry[] = [];
  for (let at = 0; at + 128 <= data.length && entries.length < ENTRIES_MAX; at += 128) {
    const nameBytes = Math.min(data.readUInt16LE(at + 64), 64);
    entries.push({
      name: data.toString('utf16le', at, at + Math.max(0, nameBytes - 2)),
      type: data[at + 66] ?? 0,
      left: data.readUInt32LE(at + 68),
      right: data.readUInt32LE(at + 72),
      child: data.readUInt32LE(at + 76),
      start: data.readUInt32LE(at + 116),
      size: data.readUInt32LE(at + 120),
    });
  }
  return entries;
}

/** Walks the trees of the folders; every entry counts once, so that a loop ends. */
function streamsOf(entries: Entry[], first: number): Map<string, Entry> {
  const streams = new Map<string, Entry>();
  const seen = new Set<number>();
  const waiting = [{ at: first, path: '', depth: 0 }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { at, path, depth } = next;
    const entry = entries[at];
    if (entry === undefined || seen.has(at) || depth > DEPTH_MAX) continue;
    seen.add(at);
    const name = path + entry.name;
    if (entry.type === STREAM) streams.set(name, entry);
    else waiting.push({ at: entry.child, path: `${name}/`, depth: depth + 1 });
    waiting.push({ at: entry.left, path, depth }, { at: entry.right, path, depth });
  }
  return streams;
}

const damaged = (): Error => createFetchFailure('undecodable', 'the file is damaged and cannot be opened');
