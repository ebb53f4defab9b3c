import type { TreeElement } from '../../table-shape.ts';

const LATEX_CLASS = /(?:^|\s)(?:latex|tex|math|mwe-math-fallback-image-\w+)(?=\s|$)/i;
/** Addresses of services that draw a formula given in the address, as a parameter or as the whole query. */
const DRAWN =
  /^(?:https?:)?\/\/(?:latex\.codecogs\.com\/(?:eq\.latex|[\w.]*)|(?:www\.)?zhihu\.com\/equation|s0\.wp\.com\/latex\.php|[^/]{1,100}\/(?:cgi-bin\/)?(?:mathtex|mimetex)(?:\.cgi|\.php)?)\?/i;
const FORMULA_CHARS_MAX = 4_000;

/** Finds the LaTeX of a picture of a formula, with or without delimiters; null for other pictures. */
export function findImageTex({ attributes }: TreeElement): string | null {
  const { alt = '', class: classes = '', src = '' } = attributes;
  if (alt.length > FORMULA_CHARS_MAX || src.length > FORMULA_CHARS_MAX) return null;
  if (alt !== '' && LATEX_CLASS.test(classes)) return alt;
  if (isDelimited(alt)) return alt;
  return DRAWN.test(src) ? alt.trim() || decodeAddressTex(src) : null;
}
/** Returns whether a description is a delimited formula; between dollars it must look like one, since `$` also marks prices. */
const isDelimited = (alt: string): boolean =>
  SIGNS.some(
    ([open, close]) => alt.length > open.length * 2 && alt.startsWith(open) && alt.endsWith(close),
  ) &&
  (!alt.startsWith('$') || /[\\^_=]/.test(alt));
const SIGNS = [
  ['\\(', '\\)'],
  ['\\[', '\\]'],
  ['$', '$'],
] as const;

function decodeAddressTex(src: string): string | null {
  const query = src.slice(src.indexOf('?') + 1).split('#', 1)[0] ?? '';
  const named = /^(?:.*&)?(?:tex|latex)=([^&]*)/.exec(query)?.[1];
  // These names stand for signs only where the whole query is the formula.
  const written = named?.replaceAll('+', ' ') ?? query.replace(/&space;/g, ' ').replace(/&plus;/g, '+');
  try {
    return decodeURIComponent(written.replace(/%(?![0-9a-f]{2})/gi, '%25'));
  } catch (error) {
    if (error instanceof URIError) return null;
    throw error;
  }
}
