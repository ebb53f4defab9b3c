import { open } from 'node:fs/promises';

/** Bytes with random access: a local file, a file on the web, or a part of one. */
export type ByteSource = {
  /** A path or an address, for messages. */
  name: string;
  size: number;
  /** Resolves to the bytes from `start` up to `end`, or to the end of the source, in a new buffer. */
  read(start: number, end: number): Promise<Buffer<ArrayBuffer>>;
  close(): Promise<void>;
};

/** Bytes per read of a file; an import keeps a few such chunks in memory. */
export const CHUNK_BYTES = 1 << 20;

/** Opens a local file. */
export async function openFileBytes(path: string): Promise<ByteSource> {
  const file = await open(path, 'r');
  const { size } = await file.stat();
  return {
    name: path,
    size,
    async read(start, end) {
      const bytes = Buffer.alloc(Math.max(0, Math.min(end, size) - start));
      let filled = 0;
      while (filled < bytes.length) {
        const { bytesRead } = await file.read(bytes, filled, bytes.length - filled, start + filled);
        if (bytesRead === 0) throw new Error(`${path} became shorter while it was read`);
        filled += bytesRead;
      }
      return bytes;
    },
    close: () => file.close(),
  };
}
