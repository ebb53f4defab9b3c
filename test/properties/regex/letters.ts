/** Characters of scripts and kinds beyond ASCII, so that classes such as \p{Lu} or \p{M} are told apart. */
const FURTHER =
  '\u0085\u00a0\u00ad\u00b0\u00b2\u00bd\u00d7ªßàÀéÉñ¿«»ıİſƛǅɐʰ\u0301\u0345ΑαςΩЖжѲѳ\u0483Աաאל\u05b0عب٣٫۴\u064bअ\u0939\u093e\u094d५กา\u0e31๓ᄀ가힣ぁあゝァアーㇰ々〆一中国〇㐀！？。，、；：（）「」『』【】《》％＋０Ａａｱ\u200b\u200c\u200d\u200e\u2010–—―‘’‚“”„†•…‰′″‹›€£¥₩™℃Ωⅷ←→∀−∙≤⌘①■☃✓➜\u2028\u2029\u202f\u2060\u3000\ufe0f\ufeff\ufffd\ue000\ufffe\uffff';
const ASTRAL = [
  '\u{10330}',
  '\u{10400}',
  '\u{10428}',
  '\u{1d400}',
  '\u{1d7d8}',
  '\u{1f600}',
  '\u{1f1e6}',
  '\u{20000}',
  '\u{e0100}',
  '\u{f0000}',
];

/** Letters: groups of characters that none of the sources (each matches one character) tells apart. */
export function lettersOf(
  sources: string[],
  { source, flags }: Pick<RegExp, 'source' | 'flags'>,
): { letters: string[]; takenBy: (source: string) => boolean[] } {
  const byCodePoint = /[uv]/.test(flags);
  const chars = charsToTry(source, byCodePoint);
  const kept = flags.replace(/[^iuvs]/g, '');
  const rows = new Map<string, boolean[]>();
  for (const atom of new Set(['[^]', ...sources])) {
    const matcher = new RegExp(`^(?:${inFlavour(atom, flags)})$`, kept);
    rows.set(
      atom,
      chars.map((char) => matcher.test(char)),
    );
  }
  const samples = new Map<string, number>();
  chars.forEach((_, index) => {
    const signature = [...rows.values()].map((row) => (row[index] ? 1 : 0)).join('');
    if (!samples.has(signature)) samples.set(signature, index);
  });
  const indices = [...samples.values()];
  return {
    letters: indices.map((index) => chars[index] ?? ''),
    takenBy: (atom) => indices.map((index) => rows.get(atom)?.[index] === true),
  };
}

/** Our own classes in the spelling of the expression's flags. */
function inFlavour(atom: string, flags: string): string {
  return flags.includes('v') && atom === '[^]' ? '[\\s\\S]' : atom;
}

function charsToTry(source: string, byCodePoint: boolean): string[] {
  const ascii = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code));
  const named = [...source.matchAll(/\\(?:u\{([\da-f]+)\}|u([\da-f]{4})|x([\da-f]{2}))/gi)].map((match) =>
    Number.parseInt(match[1] ?? match[2] ?? match[3] ?? '0', 16),
  );
  const written = Array.from(source, (char) => char.codePointAt(0) ?? 0).filter((code) => code > 127);
  const near = [...named, ...written].flatMap((code) => [code - 1, code, code + 1]);
  const chars = near
    .filter((code) => code >= 0 && code <= 0x10ffff)
    .map((code) => String.fromCodePoint(code));
  const all = [...ascii, ...FURTHER, ...ASTRAL, '\ud83d', '\ude00', ...chars];
  return [...new Set(byCodePoint ? all : all.flatMap((char) => char.split('')))];
}
