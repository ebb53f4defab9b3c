import type { PdfEngine } from './engine.ts';

/** The style of a font. */
export type FontStyle = { bold: boolean; mono: boolean };

const FIXED_PITCH = 1;
const BOLD = /bold|black|heavy|semibd|demi(?!-?light)|\bcmbx|[-,]bd|^(?:[A-Z]{6}\+)?nimbus[a-z]{3,6}l-medi/i;
const MONO = /mono|courier|consol|typewriter|\bcmtt|menlo|fixed|(?:^|[+_-])(?:cm|ec|sf)tt|lettergothic/i;
const BOLD_WEIGHT = 600;

/** Reads the styles of the fonts of one page. */
export function createFonts(engine: PdfEngine): { plain: FontStyle; of(textObject: number): FontStyle } {
  const { call } = engine;
  const known = new Map<number, FontStyle>();
  const styles = [0, 1, 2, 3].map((bits) => ({ bold: (bits & 1) !== 0, mono: (bits & 2) !== 0 }));
  const plain = styles[0] ?? { bold: false, mono: false };
  const readStyle = (font: number): FontStyle => {
    const name = engine.text('utf-8', (buffer, bytes) => call.FPDFFont_GetBaseFontName(font, buffer, bytes));
    const bold = BOLD.test(name) || call.FPDFFont_GetWeight(font) >= BOLD_WEIGHT;
    const mono = MONO.test(name) || (call.FPDFFont_GetFlags(font) & FIXED_PITCH) !== 0;
    return styles[(bold ? 1 : 0) + (mono ? 2 : 0)] ?? plain;
  };
  return {
    plain,
    of(textObject) {
      const font = call.FPDFTextObj_GetFont(textObject);
      if (font === 0) return plain;
      const style = known.get(font) ?? readStyle(font);
      known.set(font, style);
      return style;
    },
  };
}
