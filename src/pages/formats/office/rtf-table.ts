import type { TextFlow } from './text-flow.ts';

const CELLS_MAX = 1_000;

/** A cell by its left and right edge, with the right edges of all cells of its table. */
type Cell = { edges: Set<number>; from: number; to: number };

/** The table that is written: RTF has cells one after the other, each row with the edges of its cells. */
type RtfTable = {
  /** A row of cells begins; their right edges follow. */
  startRow(): void;
  edge(at: number): void;
  endCell(): void;
  endRow(): void;
  /** Brings the flow to where the next text belongs. */
  place(belongsToTable: boolean): void;
  /** Blocks with the columns that each cell takes, which only the whole table tells. */
  withSpans(blocks: string[]): string[];
};

export function createRtfTable(flow: TextFlow): RtfTable {
  const cells: Cell[] = [];
  let [inTable, inRow, inCell] = [false, false, false];
  let tableEdges = new Set<number>();
  let edges: number[] = [];
  let cell = 0;
  const openCell = (): void => {
    if (!inTable) {
      flow.openTable();
      tableEdges = new Set();
    }
    if (!inRow) {
      flow.openRow();
      cell = 0;
    }
    if (!inCell) {
      const to = edges[cell] ?? (edges.at(-1) ?? 0) + cell + 1;
      tableEdges.add(to);
      cells.push({
        edges: tableEdges,
        from: cell === 0 ? Number.NEGATIVE_INFINITY : (edges[cell - 1] ?? 0),
        to,
      });
      flow.openCell({ columns: 1, rows: 1, mark: cells.length - 1 });
      cell += 1;
    }
    [inTable, inRow, inCell] = [true, true, true];
  };
  const endCell = (): void => {
    openCell();
    flow.closeCell();
    inCell = false;
  };
  const endRow = (): void => {
    if (inCell) endCell();
    if (inRow) flow.closeRow();
    inRow = false;
  };
  return {
    startRow() {
      edges = [];
    },
    edge: (at) => {
      if (edges.length < CELLS_MAX) edges.push(at);
    },
    endCell,
    endRow,
    place(belongsToTable) {
      if (belongsToTable) openCell();
      else if (inTable) {
        endRow();
        flow.closeTable();
        inTable = false;
      }
    },
    withSpans: (blocks) => blocks.map((block) => withColumns(block, cells)),
  };
}

/** Replaces the marks of cells by the number of columns that they take. */
function withColumns(block: string, cells: Cell[]): string {
  if (!block.includes(' data-cell="')) return block;
  return block.replace(/ data-cell="(\d+)"/g, (_all, mark: string) => {
    const cell = cells[Number(mark)];
    const columns = cell === undefined ? 1 : columnsOf(cell);
    return columns > 1 ? ` colspan="${columns}"` : '';
  });
}

function columnsOf({ edges, from, to }: Cell): number {
  let columns = 0;
  for (const edge of edges) if (edge > from && edge <= to) columns += 1;
  return columns;
}
