import sniffEncoding from 'html-encoding-sniffer';
import { detect } from 'jschardet';

/** The place where the encoding was found. */
type EncodingFrom = 'bom' | 'header' | 'declared' | 'detected' | 'default';
type DecodedText = { text: string; encoding: string; from: EncodingFrom };

/** Maximum bytes read for detection; more rarely change the result and cost milliseconds. */
const DETECT_BYTES_MAX = 65_536;
const FALLBACK = 'windows-1252';

/** Names that the detector spells differently from the encoding standard. */
const DETECTED_AS: Record<string, string> = {
  CP932: 'shift_jis',
  CP949: 'euc-kr',
  CP874: 'windows-874',
  MacCyrillic: 'x-mac-cyrillic',
  MacRoman: 'macintosh',
};
/** Minimum confidence: a few words do not distinguish one single-byte alphabet from another, and most such pages are Western. */
const DETECTED_CONFIDENCE_MIN = 0.2;
/** Bytes that the standard searches for a declaration inside the document. */
const PRESCAN_BYTES = 1_024;
/** Bytes searched for a late declaration, on which browsers change the encoding too. */
const LATE_DECLARATION_BYTES = 16_384;

/**
 * Decodes the bytes of a page in the order of the HTML standard: byte order mark, `Content-Type`, declaration in the document,
 * then detection (valid UTF-8 first), else windows-1252. Never throws: invalid bytes become U+FFFD, control characters are removed.
 */
export function decode(bytes: Uint8Array, contentType: string | null): DecodedText {
  const marked = detectBom(bytes);
  if (marked !== null) return decodeAs(bytes, marked, 'bom');
  const header = contentType === null ? null : resolveEncoding(parseCharset(contentType));
  if (header !== null) return decodeAs(bytes, header, 'header');
  const inside = findDeclaredEncoding(bytes);
  if (inside !== null) return decodeAs(bytes, inside, 'declared');
  return decodeUndeclared(bytes);
}

function detectBom(bytes: Uint8Array): string | null {
  const [first, second, third] = bytes;
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return null;
}

/** Returns the encoding standard's name for a label, or null when the label is unknown. */
function resolveEncoding(label: string | null): string | null {
  if (label === null) return null;
  try {
    return new TextDecoder(label).encoding;
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/** Finds the encoding that a meta tag or an XML declaration within the first bytes states. */
function findDeclaredEncoding(bytes: Uint8Array, maxPrescanBytes = PRESCAN_BYTES): string | null {
  return resolveEncoding(sniffEncoding(bytes, { defaultEncoding: '', maxPrescanBytes }));
}

/** Returns the charset of a Content-Type header, read as leniently as browsers do, or null. */
function parseCharset(contentType: string): string | null {
  const label = /charset\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s;"']+))/i.exec(contentType);
  return (label?.[1] ?? label?.[2] ?? label?.[3])?.trim() ?? null;
}

function decodeUndeclared(bytes: Uint8Array): DecodedText {
  const wide = detectWideEncoding(bytes);
  if (wide !== null) return decodeAs(bytes, wide, 'detected');
  const utf8 = decodeUtf8(bytes);
  if (utf8 !== null) return { text: stripControlChars(utf8), encoding: 'utf-8', from: 'detected' };
  const late = findDeclaredEncoding(bytes, LATE_DECLARATION_BYTES);
  if (late !== null) return decodeAs(bytes, late, 'declared');
  if (isShiftJis(bytes)) return decodeAs(bytes, 'shift_jis', 'detected');
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, DETECT_BYTES_MAX));
  const guess = detect(start);
  const name = guess.confidence >= DETECTED_CONFIDENCE_MIN ? guess.encoding : null;
  const encoding = name === null ? null : resolveEncoding(DETECTED_AS[name] ?? name);
  return encoding === null ? decodeAs(bytes, FALLBACK, 'default') : decodeAs(bytes, encoding, 'detected');
}

/**
 * Detects Shift JIS in texts that are too short for the detector, such as a table of names: nearly everything outside of ASCII must be kana
 * or ideographs, some of it kana. Letters with accents would be read as half-width kana or not at all.
 */
function isShiftJis(bytes: Uint8Array): boolean {
  const start = bytes.subarray(0, DETECT_BYTES_MAX);
  let text: string;
  try {
    // The last character may be cut in two.
    text = new TextDecoder('shift_jis', { fatal: true }).decode(start, { stream: true });
  } catch (error) {
    if (error instanceof TypeError) return false;
    throw error;
  }
  const foreign = text.match(/[^\p{ASCII}]/gu)?.length ?? 0;
  const kana = text.match(/[\u3041-\u30ff]/g)?.length ?? 0;
  const ideographs = text.match(/[\u4e00-\u9fff\u3000-\u303f\uff01-\uff5e]/g)?.length ?? 0;
  return kana >= 2 && kana + ideographs > foreign * 0.9;
}

function decodeUtf8(bytes: Uint8Array): string | null {
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

/** Detects UTF-16 without a byte order mark: mostly Latin markup has zeros at every second byte. */
function detectWideEncoding(bytes: Uint8Array): string | null {
  const window = bytes.subarray(0, 512);
  if (window.length < 16) return null;
  const zeros = [0, 0];
  for (const [at, byte] of window.entries()) if (byte === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = zeros;
  if (odd > window.length / 4 && even < odd / 10) return 'utf-16le';
  return even > window.length / 4 && odd < even / 10 ? 'utf-16be' : null;
}

function decodeAs(bytes: Uint8Array, encoding: string, from: EncodingFrom): DecodedText {
  return { text: stripControlChars(new TextDecoder(encoding).decode(bytes)), encoding, from };
}

/** Removes the control characters of ASCII: no page shows them, and JSON writes each in six characters. */
const stripControlChars = (text: string): string => text.replace(/[^\P{Cc}\t\n\f\r\u007f-\u009f]+/gu, '');
