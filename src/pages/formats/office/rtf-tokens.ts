/** A piece of an RTF file: the start or end of a group, a control word with its number, bytes of text, or raw data to skip. */
export type RtfToken =
  | { kind: 'open' }
  | { kind: 'close' }
  | { kind: 'word'; word: string; number: number | null }
  | { kind: 'text'; bytes: Buffer };

const LETTER = (byte: number): boolean => (byte >= 97 && byte <= 122) || (byte >= 65 && byte <= 90);
const DIGIT = (byte: number): boolean => byte >= 48 && byte <= 57;
const [OPEN, CLOSE, BACKSLASH, QUOTE, SPACE, MINUS] = [123, 125, 92, 39, 32, 45];

/** Reads the tokens of an RTF file (Rich Text Format 1.9), in order. */
export function* rtfTokens(bytes: Uint8Array): Generator<RtfToken> {
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 0;
  while (at < data.length) {
    const byte = data[at] ?? 0;
    if (byte === OPEN || byte === CLOSE) {
      yield byte === OPEN ? { kind: 'open' } : { kind: 'close' };
      at += 1;
    } else if (byte === BACKSLASH) {
      const { token, end } = control(data, at + 1);
      yield token;
      at = end;
    } else {
      let end = at;
      while (end < data.length && data[end] !== OPEN && data[end] !== CLOSE && data[end] !== BACKSLASH)
        end += 1;
      const text = data.subarray(at, end).filter((one) => one !== 10 && one !== 13);
      if (text.length > 0) yield { kind: 'text', bytes: Buffer.from(text) };
      at = end;
    }
  }
}

/** The control after a backslash: a word, a character by its number, or a symbol. */
function control(data: Buffer, at: number): { token: RtfToken; end: number } {
  const first = data[at] ?? 0;
  if (first === QUOTE) {
    const code = Number.parseInt(data.toString('latin1', at + 1, at + 3), 16);
    const bytes = Buffer.from(Number.isNaN(code) ? [] : [code]);
    return { token: { kind: 'text', bytes }, end: at + 3 };
  }
  if (!LETTER(first))
    return { token: { kind: 'word', word: String.fromCharCode(first), number: null }, end: at + 1 };
  let end = at;
  while (LETTER(data[end] ?? 0)) end += 1;
  const word = data.toString('latin1', at, end);
  const start = end;
  if (data[end] === MINUS) end += 1;
  while (DIGIT(data[end] ?? 0)) end += 1;
  const number = end > start ? Number.parseInt(data.toString('latin1', start, end), 10) : null;
  if (data[end] === SPACE) end += 1;
  // Binary data follows as many bytes long as it says.
  if (word === 'bin' && number !== null && number > 0) end += number;
  return { token: { kind: 'word', word, number: Number.isNaN(number) ? null : number }, end };
}
