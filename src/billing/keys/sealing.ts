import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';

/** Seals what must be kept for a while and read again, and signs what goes out and comes back. */
export type Sealing = {
  seal(text: string): string;
  /** Null when it was not sealed here, or with another secret. */
  unseal(sealed: string): string | null;
  /** `text` with a proof that it comes from here; fit for an address. */
  sign(text: string): string;
  /** The text of a signed one, or null. */
  verified(signed: string): string | null;
};

const IV_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;

/** AES-256-GCM and HMAC-SHA-256, each with a key of its own from the one secret. */
export function createSealing(secret: string): Sealing {
  const keyFor = (use: string): Buffer => Buffer.from(hkdfSync('sha256', secret, '', use, KEY_BYTES));
  const sealKey = keyFor('seal');
  const signKey = keyFor('sign');
  const proofOf = (text: string): string => createHmac('sha256', signKey).update(text).digest('base64url');
  return {
    seal(text) {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv('aes-256-gcm', sealKey, iv);
      const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64url');
    },
    unseal(sealed) {
      const bytes = Buffer.from(sealed, 'base64url');
      if (bytes.length < IV_BYTES + TAG_BYTES) return null;
      const decipher = createDecipheriv('aes-256-gcm', sealKey, bytes.subarray(0, IV_BYTES));
      decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
      try {
        return (
          decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES), undefined, 'utf8') + decipher.final('utf8')
        );
      } catch {
        // The one thing that final() says by throwing: the tag does not fit.
        return null;
      }
    },
    sign: (text) => `${Buffer.from(text).toString('base64url')}.${proofOf(text)}`,
    verified(signed) {
      const [encoded = '', proof = ''] = signed.split('.');
      const text = Buffer.from(encoded, 'base64url').toString();
      const [wanted, given] = [Buffer.from(proofOf(text)), Buffer.from(proof)];
      return wanted.length === given.length && timingSafeEqual(wanted, given) ? text : null;
    },
  };
}
