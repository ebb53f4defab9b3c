import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';
import { LRUCache } from 'lru-cache';

/** Encrypts secrets that are stored for a short time, and signs values that clients send back. */
export type Sealing = {
  seal(text: string): string;
  /** Returns null if the text was not sealed with this secret. */
  unseal(sealed: string): string | null;
  /** Returns `text` with its signature, safe to use in a URL. */
  sign(text: string): string;
  /** Returns the text of a signed value, or null if the signature is wrong. */
  verified(signed: string): string | null;
};

const IV_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;
const SIGNED_KEPT_MAX = 1_000;

/** AES-256-GCM and HMAC-SHA-256, each with a key derived from the secret. */
export function createSealing(secret: string): Sealing {
  const deriveKey = (use: string): Buffer => Buffer.from(hkdfSync('sha256', secret, '', use, KEY_BYTES));
  const sealKey = deriveKey('seal');
  const signKey = deriveKey('sign');
  const computeSignature = (text: string): string =>
    createHmac('sha256', signKey).update(text).digest('base64url');
  /** Signed texts, because each refusal for lack of credits signs the id of its key. */
  const known = new LRUCache<string, string>({ max: SIGNED_KEPT_MAX });
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
        // final() throws only if the authentication tag is wrong.
        return null;
      }
    },
    sign(text) {
      const signed =
        known.get(text) ?? `${Buffer.from(text).toString('base64url')}.${computeSignature(text)}`;
      known.set(text, signed);
      return signed;
    },
    verified(signed) {
      const [encoded = '', signature = ''] = signed.split('.');
      const text = Buffer.from(encoded, 'base64url').toString();
      const [wanted, given] = [Buffer.from(computeSignature(text)), Buffer.from(signature)];
      return wanted.length === given.length && timingSafeEqual(wanted, given) ? text : null;
    },
  };
}
