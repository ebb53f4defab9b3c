import { Parser } from 'htmlparser2';

/** What a reader of XML does with the elements it meets. `path`: names of the open elements, from the root to the current one. */
type PathHandler = {
  onOpen(path: readonly string[], attributes: Record<string, string>): void;
  onText(path: readonly string[], text: string): void;
  /** `path` still ends with the element. `isImplied`: it has no end tag, the text ended first. */
  onClose(path: readonly string[], isImplied: boolean): void;
};

/** A forgiving reader of XML in pieces (feeds, sitemaps, Atom answers); malformed text never makes it throw. */
export type PathReader = { write(text: string): void; end(): void };

/**
 * Elements open at once. The parser looks through all of them for every end tag, so that a text of unclosed elements would take
 * quadratic time; formats nest some dozens.
 */
export const XML_DEPTH_MAX = 2_048;

/**
 * `nameOf` spells names in a path, such as without their prefix. Reading ends where the text nests deeper than
 * `XML_DEPTH_MAX`; what was open counts as closed there.
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
