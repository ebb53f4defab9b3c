import { detect } from 'jschardet';
import { charsetInContent, prescanCharset, xmlDeclaredCharset } from './prescan-charset.ts';

/** The origin of the encoding. */
type EncodingFrom = 'bom' | 'header' | 'declared' | 'detected' | 'default';
type Decoded = { text: string; encoding: string; from: EncodingFrom };

/** Bytes read for detection; more rarely change the result and cost milliseconds. */
const DETECT_BYTES_MAX = 65_536;
const FALLBACK = 'windows-1252';

/** Names of the detector that the encoding standard spells otherwise. */
const DETECTED_AS: Record<string, string> = {
  CP932: 'shift_jis',
  CP949: 'euc-kr',
  CP874: 'windows-874',
  MacCyrillic: 'x-mac-cyrillic',
  MacRoman: 'macintosh',
};
/** A few words do not distinguish one single-byte alphabet from another; most such pages are Western. */
const DETECTED_CONFIDENCE_MIN = 0.2;
/** Browsers change the encoding on a late declaration; it is searched for up to here. */
const LATE_DECLARATION_BYTES = 16_384;

/**
 * Decodes the bytes of a page in the order of the HTML standard: byte order mark, `Content-Type`, declaration in the document,
 * then detection (valid UTF-8 first), else windows-1252. Never throws: invalid bytes become U+FFFD, control characters are removed.
 */
export function decode(bytes: Uint8Array, contentType: string | null): Decoded {
  const marked = byBom(bytes);
  if (marked !== null) return decoded(bytes, marked, 'bom');
  const header = contentType === null ? null : decoderLabel(charsetInContent(contentType));
  if (header !== null) return decoded(bytes, header, 'header');
  const inside = decoderLabel(xmlDeclaredCharset(bytes)) ?? decoderLabel(prescanCharset(bytes));
  if (inside !== null) return decoded(bytes, notWide(inside), 'declared');
  return undeclared(bytes);
}

function byBom(bytes: Uint8Array): string | null {
  const [first, second, third] = bytes;
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return null;
}

/** The name of the encoding standard for a label, or null when the label is unknown. */
function decoderLabel(label: string | null): string | null {
  if (label === null) return null;
  try {
    return new TextDecoder(label).encoding;
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/** A declaration that was read byte by byte cannot be in UTF-16. */
const notWide = (encoding: string): string => (encoding.startsWith('utf-16') ? 'utf-8' : encoding);

function undeclared(bytes: Uint8Array): Decoded {
  const wide = wideWithoutBom(bytes);
  if (wide !== null) return decoded(bytes, wide, 'detected');
  const utf8 = asUtf8(bytes);
  if (utf8 !== null) return { text: printable(utf8), encoding: 'utf-8', from: 'detected' };
  const late = decoderLabel(prescanCharset(bytes, LATE_DECLARATION_BYTES));
  if (late !== null) return decoded(bytes, late, 'declared');
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, DETECT_BYTES_MAX));
  const guess = detect(start);
  const name = guess.confidence >= DETECTED_CONFIDENCE_MIN ? guess.encoding : null;
  const encoding = name === null ? null : decoderLabel(DETECTED_AS[name] ?? name);
  return encoding === null ? decoded(bytes, FALLBACK, 'default') : decoded(bytes, encoding, 'detected');
}

function asUtf8(bytes: Uint8Array): string | null {
  // ISO-2022 switches its alphabets by escapes and is valid UTF-8 as well.
  const start = Buffer.from(bytes.subarray(0, DETECT_BYTES_MAX));
  if (start.includes('\u001b$') || start.includes('\u001b(')) return null;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}

/** UTF-16 of mostly Latin markup shows as zeros at every second place. */
function wideWithoutBom(bytes: Uint8Array): string | null {
  const window = bytes.subarray(0, 512);
  if (window.length < 16) return null;
  const zeros = [0, 0];
  for (const [at, byte] of window.entries()) if (byte === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = zeros;
  if (odd > window.length / 4 && even < odd / 10) return 'utf-16le';
  return even > window.length / 4 && odd < even / 10 ? 'utf-16be' : null;
}

function decoded(bytes: Uint8Array, encoding: string, from: EncodingFrom): Decoded {
  return { text: printable(new TextDecoder(encoding).decode(bytes)), encoding, from };
}

/** A text without the control characters of ASCII: no page shows them, and JSON writes each in six characters. */
const printable = (text: string): string => text.replace(/[^\P{Cc}\t\n\f\r\u007f-\u009f]+/gu, '');
