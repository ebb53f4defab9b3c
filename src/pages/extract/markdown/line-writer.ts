/** How a block is set off from the one before it: a blank line, only a new line (tight lists), or not yet anything. */
type Gap = 'none' | 'line' | 'blank';

/** Collects the lines of a document; containers (quotes, list items) put their prefixes before them. */
export type LineWriter = {
  /** Writes one block. */
  block(lines: string[]): void;
  /** Begins a container whose first line starts with `marker` and whose others with `indent`. */
  enter(marker: string, indent: string): void;
  /** Ends it and returns whether anything was written; an empty container leaves no trace. */
  leave(): boolean;
  /** The next block follows without a blank line. */
  closeUp(): void;
  /** Undoes `closeUp`: a blank line precedes the next block, as at the end of a tight list. */
  setOff(): void;
  /** Number of lines so far. */
  count(): number;
  text(): string;
};

/** Beyond it, containers no longer indent: a page that nests 200 quotes must not grow by their prefixes. */
const CONTAINER_DEPTH_MAX = 16;

/** A writer with no lines. */
export function createLineWriter(): LineWriter {
  const lines: string[] = [];
  const stack: { first: string; rest: string; count: number }[] = [];
  let first = '';
  let rest = '';
  let gap: Gap = 'none';
  let gapPrefix = '';
  const put = (prefix: string, line: string): void => {
    lines.push(line === '' ? prefix.trimEnd() : prefix + line);
  };
  return {
    block(block) {
      if (gap === 'blank') put(gapPrefix, '');
      for (const line of block) {
        put(first, line);
        first = rest;
      }
      gap = 'blank';
      gapPrefix = rest;
    },
    enter(marker, indent) {
      stack.push({ first, rest, count: lines.length });
      if (stack.length > CONTAINER_DEPTH_MAX) return;
      first += marker;
      rest += indent;
    },
    leave() {
      const outer = stack.pop();
      if (outer === undefined) return false;
      const wrote = lines.length > outer.count;
      first = wrote ? outer.rest : outer.first;
      rest = outer.rest;
      if (wrote) gapPrefix = rest;
      return wrote;
    },
    closeUp() {
      if (gap === 'blank') gap = 'line';
    },
    setOff() {
      if (gap === 'line') gap = 'blank';
    },
    count: () => lines.length,
    text: () => lines.join('\n'),
  };
}
