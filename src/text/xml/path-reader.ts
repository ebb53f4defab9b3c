/**
 * Reads XML by the paths of its elements, in pieces as they arrive. Malformed text never makes it throw, and nesting is bounded. It
 * builds no tree and does not validate.
 */
import { Parser } from 'htmlparser2';

/** Callbacks for the elements of XML. `path`: names of the open elements, from the root to the current one. */
type PathHandler = {
  onOpen(path: readonly string[], attributes: Record<string, string>): void;
  onText(path: readonly string[], text: string): void;
  /** `path` still ends with the element. `isImplied`: the element has no end tag, because the text ended first. */
  onClose(path: readonly string[], isImplied: boolean): void;
};

/** A lenient reader of XML in pieces (feeds, sitemaps, Atom responses). */
export type PathReader = { write(text: string): void; end(): void };

/**
 * Maximum nesting depth. The parser searches all open elements for every end tag, so a text of unclosed elements would take
 * quadratic time; real formats nest some dozens.
 */
export const XML_DEPTH_MAX = 2_048;

/**
 * Creates a reader. `nameOf` maps element names to names in paths, for example without their prefix. Reading stops where the text
 * nests deeper than `XML_DEPTH_MAX`; elements open at that point count as closed there.
 */
export function createPathReader(
  { onOpen, onText, onClose }: PathHandler,
  nameOf: (name: string) => string,
): PathReader {
  const path: string[] = [];
  let isTooDeep = false;
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        if (path.length >= XML_DEPTH_MAX) {
          isTooDeep = true;
          parser.pause();
          return;
        }
        path.push(nameOf(name));
        onOpen(path, attributes);
      },
      ontext(text) {
        if (!isTooDeep) onText(path, text);
      },
      onclosetag(_name, isImplied) {
        if (isTooDeep) return;
        onClose(path, isImplied);
        path.pop();
      },
    },
    { xmlMode: true, decodeEntities: true },
  );
  return {
    write(text) {
      if (!isTooDeep) parser.write(text);
    },
    end() {
      if (!isTooDeep) parser.end();
      for (; isTooDeep && path.length > 0; path.pop()) onClose(path, true);
    },
  };
}
