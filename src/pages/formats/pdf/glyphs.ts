import type { PdfEngine } from './engine.ts';

const FIXED_PITCH = 1;
const BOLD = /bold|black|heavy|semibd|demi(?!-?light)|\bcmbx|[-,]bd|^(?:[A-Z]{6}\+)?nimbus[a-z]{3,6}l-medi/i;
const MONO = /mono|courier|consol|typewriter|\bcmtt|menlo|fixed|(?:^|[+_-])(?:cm|ec|sf)tt|lettergothic/i;
const BOLD_WEIGHT = 600;

/** Hebrew, Arabic and the scripts between them. */
export const isRightToLeft = (code: number): boolean =>
  (code >= 0x590 && code < 0x900) || (code >= 0xfb1d && code < 0xfe00) || (code >= 0xfe70 && code < 0xff00);

/** A piece of text on one base line, in one style. `y` grows upwards; sizes and places are in points. */
export type Run = {
  text: string;
  x0: number;
  x1: number;
  y: number;
  size: number;
  font: FontStyle;
  /** The address that it links to, or the number of a page of the same file. */
  link: string | number | null;
  /** Whether a space separates it from the run before. */
  spaced: boolean;
  /** The spaces within it: the index of each in the text, and where it begins and ends. */
  spaces: { at: number; x0: number; x1: number }[];
};

/** The text object that draws a character, with its size on the page, its font, and whether it runs in another direction than the page. */
export type TextObject = { object: number; size: number; font: FontStyle; aslant: boolean };

/** The characters of a page by their index, with positions rotated upright. */
export type Glyphs = {
  /** Returns the text object that draws a character; null for spaces and line ends that the engine adds. */
  drawn(at: number): TextObject | null;
  /** Returns the text object of the previous character. */
  before(): TextObject;
  origin(at: number): [x: number, y: number];
  right(at: number): number;
  /** Whether a character continues a run: same style and base line, without a wide gap. */
  follow(run: Run, to: { last: number; at: number; code: number }): boolean;
};

/** A gap wider than this many font sizes separates columns and cells; in monospaced type, gaps are spaces of a listing. */
const WIDE_GAP = { text: 1.8, mono: 40 };

export function createGlyphs(engine: PdfEngine, textPage: number, quarter: number): Glyphs {
  const { call, scratch } = engine;
  const fonts = createFonts(engine);
  let drawn: TextObject = { object: 0, size: 0, font: fonts.plain, aslant: false };
  let before = drawn;

  const readOrigin = (at: number): [x: number, y: number] => {
    call.FPDFText_GetCharOrigin(textPage, at, scratch, scratch + 8);
    return rotateUpright(engine.double(0), engine.double(1), quarter);
  };
  const readRightEdge = (at: number): number => {
    if (call.FPDFText_GetLooseCharBox(textPage, at, scratch) === 0) return readOrigin(at)[0];
    const [x0] = rotateUpright(engine.float(0), engine.float(3), quarter);
    return Math.max(x0, rotateUpright(engine.float(2), engine.float(1), quarter)[0]);
  };
  const readTextObject = (object: number, at: number): TextObject => {
    const { scale, quarter: own } = readMatrix(engine, textPage, at);
    const size = call.FPDFTextObj_GetFontSize(object, scratch) === 0 ? 0 : engine.float(0);
    return { object, size: Math.abs(size * scale) || 1, font: fonts.of(object), aslant: own !== quarter };
  };
  return {
    drawn(at) {
      const object = call.FPDFText_GetTextObject(textPage, at);
      if (object === 0) return null;
      before = drawn;
      if (object !== drawn.object) drawn = readTextObject(object, at);
      return drawn;
    },
    before: () => before,
    origin: readOrigin,
    right: readRightEdge,
    follow(run, { last, at, code }) {
      const { size, font } = drawn;
      if (run.font !== font || Math.abs(run.size - size) > 0.1) return false;
      const [x, y] = readOrigin(at);
      const ahead = x - readRightEdge(last);
      const gap = ahead < -size && isRightToLeft(code) ? readOrigin(last)[0] - readRightEdge(at) : ahead;
      const widest = size * (font.mono ? WIDE_GAP.mono : WIDE_GAP.text);
      return Math.abs(y - run.y) < 0.1 * size && gap < widest && gap > -size;
    },
  };
}

/** Reads the scale and the direction, in quarter turns, of a character. */
export function readMatrix(
  engine: PdfEngine,
  textPage: number,
  at: number,
): { scale: number; quarter: number } {
  if (engine.call.FPDFText_GetMatrix(textPage, at, engine.scratch) === 0) return { scale: 1, quarter: 0 };
  const [a, b, c, d] = [engine.float(0), engine.float(1), engine.float(2), engine.float(3)];
  const turns = Math.round(Math.atan2(b, a) / (Math.PI / 2));
  return { scale: Math.hypot(c, d) || Math.hypot(a, b) || 1, quarter: (turns + 4) % 4 };
}

/** Rotates a point back by quarter turns. */
export function rotateUpright(x: number, y: number, quarter: number): [x: number, y: number] {
  if (quarter === 1) return [y, -x];
  if (quarter === 2) return [-x, -y];
  return quarter === 3 ? [-y, x] : [x, y];
}

/** The style of a font. */
type FontStyle = { bold: boolean; mono: boolean };

/** Reads the styles of the fonts of one page. */
function createFonts(engine: PdfEngine): { plain: FontStyle; of(textObject: number): FontStyle } {
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
