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

/** `nameOf` spells names in a path, such as without their prefix. */
export function createPathReader(
  { onOpen, onText, onClose }: PathHandler,
  nameOf: (name: string) => string,
): PathReader {
  const path: string[] = [];
  return new Parser(
    {
      onopentag(name, attributes) {
        path.push(nameOf(name));
        onOpen(path, attributes);
      },
      ontext: (text) => onText(path, text),
      onclosetag(_name, isImplied) {
        onClose(path, isImplied);
        path.pop();
      },
    },
    { xmlMode: true, decodeEntities: true },
  );
}
