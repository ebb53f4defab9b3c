/**
 * Open packs: public pages as signed files on any web server, which other servers subscribe to. A pack is a folder with `pack.json`, the
 * signed list of its shards and removals, and the shards, Parquet tables named by their hash. This file defines the format and checks
 * it; `publish-pack.ts` writes packs, `update-pack.ts` reads them. docs/guides/open-packs.md describes the format for other programs.
 */
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto';
import { z } from 'zod';
import { createAddressPolicy } from '../../../platform/net/address.ts';
import { judgeUrl } from '../../../platform/net/check-url.ts';
import { UnreadableFile } from '../collections/read-collection.ts';

export const PACK_FILE = 'pack.json';
export const PACK_BYTES_MAX = 32 << 20;
const SHARD_BYTES_MAX = 128 << 20;
const SHARDS_MAX = 10_000;
export const REMOVALS_MAX = 100_000;
const URL_CHARS_MAX = 4_000;
const VERSION_MAX = 1e9;
/** The type of the signed text in the envelope. */
const PAYLOAD_TYPE = 'application/vnd.sanderling.pack+json';
/** The ASN.1 header before the 32 bytes of an Ed25519 public key (RFC 8410). */
const KEY_HEADER = Buffer.from('302a300506032b6570032100', 'hex');
const KEY_BYTES = 32;

const versionNumber = z.int().min(1).max(VERSION_MAX);
const hash = z.string().regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 hash in lower-case hexadecimal');
const text = z.string().min(1).max(2_000);
const shard = z.strictObject({
  sha256: hash,
  bytes: z.int().min(1).max(SHARD_BYTES_MAX),
  pages: z.int().min(1).max(1_000_000),
  version: versionNumber,
});
const removal = z.strictObject({
  url: z.url({ protocol: /^https?$/ }).max(URL_CHARS_MAX),
  version: versionNumber,
});
const manifest = z.strictObject({
  format: z.literal('sanderling-pack/1'),
  name: z.string().regex(/^[a-z0-9][a-z0-9-]{0,63}$/, 'must be lower-case letters, digits and hyphens'),
  title: text,
  licence: text,
  robots: text,
  key: z.string().regex(/^[A-Za-z0-9+/]{43}=$/, 'must be 32 bytes in Base64'),
  version: versionNumber,
  published: z.iso.datetime(),
  shards: z.array(shard).max(SHARDS_MAX),
  removals: z.array(removal).max(REMOVALS_MAX),
});

/** The signed content of `pack.json`. `version` of a shard or removal: the version of the pack that brought it. */
export type PackManifest = z.infer<typeof manifest>;
export type PackShard = PackManifest['shards'][number];

/** A DSSE envelope (https://github.com/secure-systems-lab/dsse/blob/master/envelope.md). */
const envelope = z.object({
  payloadType: z.literal(PAYLOAD_TYPE),
  payload: z.base64(),
  signatures: z
    .array(z.object({ sig: z.base64() }))
    .min(1)
    .max(10),
});

/** A pack does not hold what it promises; the message, meant for people, says what is wrong. */
export class InvalidPack extends UnreadableFile {}

export const nameShard = ({ sha256 }: Pick<PackShard, 'sha256'>): string => `pages-${sha256}.parquet`;

export const computeSha256 = (bytes: Uint8Array | string): string =>
  createHash('sha256').update(bytes).digest('hex');

/** Generates a signing key, as the text of a PEM file. */
export const generatePackKey = (): string =>
  generateKeyPairSync('ed25519', {
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  }).privateKey;

/** Reads a signing key from the text of a PEM file, and computes its public key. Throws if it is not an Ed25519 key. */
export function readPackKey(pem: string): { privateKey: KeyObject; publicKey: string } {
  const privateKey = createPrivateKey(pem);
  if (privateKey.asymmetricKeyType !== 'ed25519') throw new Error('the key is not an Ed25519 key');
  const der = createPublicKey(privateKey).export({ type: 'spki', format: 'der' });
  return { privateKey, publicKey: der.subarray(KEY_HEADER.length).toString('base64') };
}

/** Signs a manifest. Returns the content of `pack.json`. */
export function signManifest(signed: PackManifest, privateKey: KeyObject): string {
  const payload = Buffer.from(JSON.stringify(manifest.parse(signed)));
  const signature = sign(null, encodeForSigning(payload), privateKey);
  return `${JSON.stringify({
    payloadType: PAYLOAD_TYPE,
    payload: payload.toString('base64'),
    signatures: [{ sig: signature.toString('base64') }],
  })}\n`;
}

/**
 * Reads a manifest and checks its signature and form. `key`: the only key to accept, as `readPackKey` gives it; null: the one that the
 * manifest names. Throws `InvalidPack`.
 */
export function verifyManifest(bytes: Uint8Array, key: string | null): PackManifest {
  if (bytes.length > PACK_BYTES_MAX)
    throw new InvalidPack(`${PACK_FILE} is larger than ${PACK_BYTES_MAX >> 20} MB`);
  const { payload, signatures } = parseOrRefuse(envelope, Buffer.from(bytes), 'is no signed envelope');
  const signed = Buffer.from(payload, 'base64');
  const read = parseOrRefuse(manifest, signed, 'is no pack of format sanderling-pack/1');
  if (key !== null && read.key !== key)
    throw new InvalidPack(`${PACK_FILE} is signed by another key: ${read.key} instead of ${key}`);
  const publicKey = createPublicKey({
    key: Buffer.concat([KEY_HEADER, Buffer.from(read.key, 'base64').subarray(0, KEY_BYTES)]),
    format: 'der',
    type: 'spki',
  });
  const message = encodeForSigning(signed);
  if (!signatures.some(({ sig }) => verify(null, message, publicKey, Buffer.from(sig, 'base64'))))
    throw new InvalidPack(`the signature of ${PACK_FILE} does not match its content`);
  checkVersions(read);
  return read;
}

function parseOrRefuse<Schema extends z.ZodType>(
  schema: Schema,
  bytes: Buffer,
  otherwise: string,
): z.infer<Schema> {
  let json: unknown;
  try {
    json = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw new InvalidPack(`${PACK_FILE} ${otherwise}: it is not JSON`);
  }
  const parsed = schema.safeParse(json);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new InvalidPack(`${PACK_FILE} ${otherwise}: ${issue?.path.join('.') || 'it'}: ${issue?.message}`);
}

function checkVersions({ version, shards, removals }: PackManifest): void {
  if ([...shards, ...removals].some((part) => part.version > version))
    throw new InvalidPack(`${PACK_FILE} lists a part of a version that comes after its own, ${version}`);
  if (new Set(shards.map(({ sha256 }) => sha256)).size < shards.length)
    throw new InvalidPack(`${PACK_FILE} lists a shard twice`);
  if (new Set(removals.map(({ url }) => url)).size < removals.length)
    throw new InvalidPack(`${PACK_FILE} lists a removal twice`);
}

/** The pre-authentication encoding of DSSE (https://github.com/secure-systems-lab/dsse/blob/master/protocol.md). */
const encodeForSigning = (payload: Buffer): Buffer =>
  Buffer.concat([Buffer.from(`DSSEv1 ${PAYLOAD_TYPE.length} ${PAYLOAD_TYPE} ${payload.length} `), payload]);

/** Only addresses of the public network belong in a pack, whatever else a server may read. */
const PUBLIC_ONLY = createAddressPolicy({ allowPrivate: [], ownAddresses: () => [] });

/** Returns true if the URL can be that of a public page. */
export function isPublicUrl(url: string): boolean {
  try {
    judgeUrl(url, PUBLIC_ONLY);
    return true;
  } catch {
    return false;
  }
}

/** Checks the bytes of a shard against the manifest. Throws `InvalidPack`. */
export function verifyShard(bytes: Uint8Array, shard: PackShard): void {
  if (bytes.length !== shard.bytes)
    throw new InvalidPack(`${nameShard(shard)} has ${bytes.length} bytes instead of ${shard.bytes}`);
  if (computeSha256(bytes) !== shard.sha256)
    throw new InvalidPack(`the content of ${nameShard(shard)} does not match its hash`);
}
