import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { crc32, zstdCompressSync, zstdDecompressSync } from 'node:zlib';

/**
 * Encodes values for a store that others may read or damage. With a secret, values are sealed and key names reveal nothing; without one,
 * values carry a checksum. A value that cannot be decoded counts as missing.
 */
export type SealedValues = {
  /** Derives the key of a value from its identity: of fixed length, and the same in every process with the same secret. */
  keyOf(kind: string, identity: string): string;
  /** Encodes a value; null if it is too large to be shared. */
  seal(key: string, value: unknown): Buffer | null;
  /** Decodes a value; null for anything that `seal` did not make for this key. */
  open(key: string, bytes: unknown): unknown;
};

/** Maximum bytes of one value as JSON; larger ones are not worth transferring. */
const VALUE_BYTES_MAX = 2_097_152;
const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const CHECKSUM_BYTES = 4;
const KEY_CHARS = 32;
/** Identifies the format of values; other formats cannot be read. */
const FORM = 'sanderling-shared-1';

/** Creates the encoding. `secret`: the operator's secret, or null. */
export function createSealedValues(secret: string | null): SealedValues {
  const deriveKey = (purpose: string): Buffer =>
    Buffer.from(hkdfSync('sha256', secret ?? '', FORM, purpose, 32));
  const naming = deriveKey('names');
  const envelope = secret === null ? CHECKSUM : createCipher(deriveKey('values'));
  return {
    // The braces put all keys of one identity on the same node of a cluster.
    keyOf: (kind, identity) =>
      `${kind}:{${createHmac('sha256', naming).update(identity).digest('base64url').slice(0, KEY_CHARS)}}`,
    seal(key, value) {
      const json = Buffer.from(JSON.stringify(value));
      return json.length > VALUE_BYTES_MAX ? null : envelope.wrap(key, zstdCompressSync(json));
    },
    open(key, bytes) {
      if (!Buffer.isBuffer(bytes)) return null;
      try {
        const packed = envelope.unwrap(key, bytes);
        if (packed === null) return null;
        const json = zstdDecompressSync(packed, { maxOutputLength: VALUE_BYTES_MAX });
        return JSON.parse(json.toString());
      } catch {
        // Garbage, or a value of another format or secret.
        return null;
      }
    },
  };
}

type Envelope = {
  wrap(key: string, bytes: Buffer): Buffer;
  /** Returns null or throws if the bytes were not wrapped for this key. */
  unwrap(key: string, bytes: Buffer): Buffer | null;
};

const CHECKSUM: Envelope = {
  wrap: (key, bytes) => Buffer.concat([computeChecksum(key, bytes), bytes]),
  unwrap(key, wrapped) {
    const bytes = wrapped.subarray(CHECKSUM_BYTES);
    return wrapped.subarray(0, CHECKSUM_BYTES).equals(computeChecksum(key, bytes)) ? bytes : null;
  },
};

function computeChecksum(key: string, bytes: Buffer): Buffer {
  const sum = Buffer.alloc(CHECKSUM_BYTES);
  sum.writeUInt32BE(crc32(bytes, crc32(FORM + key)));
  return sum;
}

function createCipher(secretKey: Buffer): Envelope {
  return {
    wrap(key, bytes) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(ALGORITHM, secretKey, nonce).setAAD(Buffer.from(key));
      const sealed = [cipher.update(bytes), cipher.final()];
      return Buffer.concat([nonce, cipher.getAuthTag(), ...sealed]);
    },
    unwrap(key, wrapped) {
      const tagEnd = NONCE_BYTES + TAG_BYTES;
      const decipher = createDecipheriv(ALGORITHM, secretKey, wrapped.subarray(0, NONCE_BYTES), {
        authTagLength: TAG_BYTES,
      });
      decipher.setAAD(Buffer.from(key)).setAuthTag(wrapped.subarray(NONCE_BYTES, tagEnd));
      return Buffer.concat([decipher.update(wrapped.subarray(tagEnd)), decipher.final()]);
    },
  };
}
