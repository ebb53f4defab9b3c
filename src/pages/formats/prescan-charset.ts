/** Bytes that the standard searches for a declaration inside the document. */
const PRESCAN_BYTES = 1_024;

const SPACE = /[\t\n\f\r ]/;

type Cursor = { text: string; at: number };
type Attribute = { name: string; value: string };

/**
 * Returns the label of the encoding that an HTML document declares in a meta tag, or null: the algorithm "prescan a byte stream to
 * determine its encoding" of the HTML standard, over the first 1,024 bytes. The label is as written, in lower case.
 */
export function prescanCharset(bytes: Uint8Array, bytesMax: number = PRESCAN_BYTES): string | null {
  const cursor: Cursor = { text: decodeLatin1(bytes.subarray(0, bytesMax)), at: 0 };
  while (cursor.at < cursor.text.length) {
    const { text, at } = cursor;
    if (text.startsWith('<!--', at)) {
      // The two dashes of "<!-->" count for its beginning and its end.
      const end = text.indexOf('-->', at + 2);
      if (end === -1) return null;
      cursor.at = end + 3;
    } else if (/^<meta[\t\n\f\r /]/i.test(text.slice(at, at + 6))) {
      cursor.at += 5;
      const label = readMetaCharset(cursor);
      if (label !== null) return label;
    } else if (/^<\/?[A-Za-z]/.test(text.slice(at, at + 3))) skipTag(cursor);
    else if (/^<[!/?]/.test(text.slice(at, at + 2))) {
      const end = text.indexOf('>', at);
      if (end === -1) return null;
      cursor.at = end + 1;
    } else cursor.at += 1;
  }
  return null;
}

/** Returns the encoding in the XML declaration at the start of the bytes, in lower case, or null. */
export function readXmlCharset(bytes: Uint8Array): string | null {
  const start = decodeLatin1(bytes.subarray(0, PRESCAN_BYTES));
  const match = /^<\?xml\s[^>]*?\bencoding\s*=\s*(?:"([^"]+)"|'([^']+)')[^>]*\?>/.exec(start);
  return (match?.[1] ?? match?.[2])?.trim().toLowerCase() ?? null;
}

/** Returns the charset in a `content` attribute or a Content-Type header, by the standard's lenient reading; or null. */
export function parseCharset(content: string): string | null {
  for (const match of content.matchAll(/charset[\t\n\f\r ]*=[\t\n\f\r ]*/gi)) {
    const rest = content.slice(match.index + match[0].length);
    const quote = rest[0];
    if (quote === '"' || quote === "'") {
      const end = rest.indexOf(quote, 1);
      return end === -1 ? null : rest.slice(1, end).trim().toLowerCase();
    }
    const label = /^[^\t\n\f\r ;]+/.exec(rest)?.[0];
    return label === undefined ? null : label.toLowerCase();
  }
  return null;
}

function readMetaCharset(cursor: Cursor): string | null {
  const seen = new Set<string>();
  let gotPragma = false;
  let needPragma: boolean | null = null;
  let label: string | null = null;
  for (
    let attribute = readAttribute(cursor);
    attribute !== null && attribute !== 'cut';
    attribute = readAttribute(cursor)
  ) {
    const { name, value } = attribute;
    if (seen.has(name)) continue;
    seen.add(name);
    if (name === 'http-equiv') gotPragma = gotPragma || value === 'content-type';
    else if (name === 'content' && label === null) {
      label = parseCharset(value);
      if (label !== null) needPragma = true;
    } else if (name === 'charset') {
      label = value.trim();
      needPragma = false;
    }
  }
  // A tag that is cut off at the end of the window does not count.
  if (cursor.at >= cursor.text.length) return null;
  if (label === null || label === '' || needPragma === null || (needPragma && !gotPragma)) return null;
  return resolveLabel(label);
}

/**
 * Maps labels as the HTML standard requires: a document that could be read this far is not UTF-16, so such a declaration means UTF-8.
 * Returns null for unknown labels.
 */
function resolveLabel(label: string): string | null {
  if (/^(?:utf-?16(?:le|be)?|unicode|ucs-2|csunicode|iso-10646-ucs-2|unicodefffe|unicodefeff)$/.test(label))
    return 'utf-8';
  if (label === 'x-user-defined') return 'windows-1252';
  return isEncodingLabel(label) ? label : null;
}

function isEncodingLabel(label: string): boolean {
  try {
    new TextDecoder(label);
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

function skipTag(cursor: Cursor): void {
  while (cursor.at < cursor.text.length && !/[\t\n\f\r >]/.test(cursor.text[cursor.at] ?? '')) cursor.at += 1;
  for (let found = readAttribute(cursor); found !== null && found !== 'cut'; found = readAttribute(cursor));
}

/** Implements "get an attribute" of the standard: null at the end of the tag, 'cut' at the end of the window. */
function readAttribute(cursor: Cursor): Attribute | null | 'cut' {
  const { text } = cursor;
  const peekChar = (): string => text[cursor.at] ?? '';
  while (SPACE.test(peekChar()) || peekChar() === '/') cursor.at += 1;
  if (peekChar() === '') return 'cut';
  if (peekChar() === '>') {
    // The cursor stays on ">", which shows that the window holds the end of the tag.
    return null;
  }
  const name = takeWhile(
    cursor,
    (letter, taken) => !/[\t\n\f\r />]/.test(letter) && (letter !== '=' || taken === 0),
  );
  takeWhile(cursor, (letter) => SPACE.test(letter));
  if (peekChar() !== '=') return { name: name.toLowerCase(), value: '' };
  cursor.at += 1;
  takeWhile(cursor, (letter) => SPACE.test(letter));
  const quote = peekChar();
  if (quote === '"' || quote === "'") {
    const end = text.indexOf(quote, cursor.at + 1);
    const value = text.slice(cursor.at + 1, end === -1 ? text.length : end);
    cursor.at = end === -1 ? text.length : end + 1;
    return { name: name.toLowerCase(), value: value.toLowerCase() };
  }
  const value = takeWhile(cursor, (letter) => !/[\t\n\f\r >]/.test(letter));
  return { name: name.toLowerCase(), value: value.toLowerCase() };
}

function takeWhile(cursor: Cursor, wanted: (letter: string, taken: number) => boolean): string {
  const start = cursor.at;
  while (cursor.at < cursor.text.length && wanted(cursor.text[cursor.at] ?? '', cursor.at - start))
    cursor.at += 1;
  return cursor.text.slice(start, cursor.at);
}

const decodeLatin1 = (bytes: Uint8Array): string => String.fromCharCode(...bytes);
