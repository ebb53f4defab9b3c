/** Separation between two blocks: a blank line, only a new line (tight lists), or none before the first block. */
type Gap = 'none' | 'line' | 'blank';

/** Collects the lines of a document; containers (quotes, list items) prefix the lines in them. */
export type LineWriter = {
  /** Writes one block. */
  block(lines: string[]): void;
  /** Begins a container: its first line starts with `marker`, the others with `indent`. */
  enter(marker: string, indent: string): void;
  /** Ends the container and returns whether anything was written; an empty one leaves no trace. */
  leave(): boolean;
  /** Omits the blank line before the next block. */
  closeUp(): void;
  /** Undoes `closeUp`, as at the end of a tight list: a blank line precedes the next block. */
  setOff(): void;
  /** Number of lines so far. */
  count(): number;
  text(): string;
};

/** Maximum depth at which containers indent, so that the prefixes of 200 nested quotes do not inflate a page. */
const CONTAINER_DEPTH_MAX = 16;

/** Creates an empty writer. */
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
