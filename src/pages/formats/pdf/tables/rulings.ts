import type { PdfEngine } from '../engine.ts';
import { rotateUpright } from '../glyphs.ts';
import type { PageTurn } from '../page-runs.ts';

/** A straight line along an axis: `at` is its place on the other axis. */
export type Ruling = { at: number; from: number; to: number };
export type Rulings = { across: Ruling[]; down: Ruling[] };

/** The engine's FPDF_PAGEOBJ_PATH and FPDF_PAGEOBJ_FORM, and FPDF_SEGMENT_LINETO and FPDF_SEGMENT_MOVETO. */
const PATH = 2;
const FORM = 5;
const LINE_TO = 0;
const MOVE_TO = 2;
const DEPTH_MAX = 4;
/** Maximum objects and path segments of one page that are read, and rulings that are kept; a drawing has more than a table. */
const OBJECTS_MAX = 20_000;
const SEGMENTS_MAX = 40_000;
const RULINGS_MAX = 2_000;
/** Filled areas thinner than this many points are lines; parts of a line within this distance are one. */
const THIN = 3;
const NEAR = 2;
/** Shorter lines are parts of letters and signs. */
const LENGTH_MIN = 4;

type Matrix = [a: number, b: number, c: number, d: number, e: number, f: number];
const IDENTITY: Matrix = [1, 0, 0, 1, 0, 0];

/** Reads the horizontal and vertical lines of a page, with the edges of its filled areas, turned like its text. */
export function readRulings(engine: PdfEngine, page: number, turn: PageTurn): Rulings {
  const { call, scratch } = engine;
  const rulings: Rulings = { across: [], down: [] };
  let [objects, segments] = [0, 0];

  const add = (one: [number, number], other: [number, number]): void => {
    const [x0, x1] = [Math.min(one[0], other[0]), Math.max(one[0], other[0])];
    const [y0, y1] = [Math.min(one[1], other[1]), Math.max(one[1], other[1])];
    if (y1 - y0 < 1 && x1 - x0 >= LENGTH_MIN) rulings.across.push({ at: (y0 + y1) / 2, from: x0, to: x1 });
    else if (x1 - x0 < 1 && y1 - y0 >= LENGTH_MIN) rulings.down.push({ at: (x0 + x1) / 2, from: y0, to: y1 });
  };
  const place = ([a, b, c, d, e, f]: Matrix, x: number, y: number): [number, number] => {
    const [turnedX, turnedY] = rotateUpright(a * x + c * y + e, b * x + d * y + f, turn.quarter);
    return [turn.mirrored ? -turnedX : turnedX, turnedY];
  };
  const readPath = (object: number, matrix: Matrix): void => {
    if (call.FPDFPageObj_GetBounds(object, scratch, scratch + 4, scratch + 8, scratch + 12) === 0) return;
    const bounds = [engine.float(0), engine.float(1), engine.float(2), engine.float(3)] as const;
    const corners = [place(matrix, bounds[0], bounds[1]), place(matrix, bounds[2], bounds[3])] as const;
    const [width, height] = [
      Math.abs(corners[0][0] - corners[1][0]),
      Math.abs(corners[0][1] - corners[1][1]),
    ];
    const middle = [(corners[0][0] + corners[1][0]) / 2, (corners[0][1] + corners[1][1]) / 2] as const;
    if (height < THIN && width > height) {
      add([corners[0][0], middle[1]], [corners[1][0], middle[1]]);
      return;
    }
    if (width < THIN) {
      add([middle[0], corners[0][1]], [middle[0], corners[1][1]]);
      return;
    }
    const own = multiply(readObjectMatrix(engine, object), matrix);
    const count = call.FPDFPath_CountSegments(object);
    let before: [number, number] | null = null;
    let first: [number, number] | null = null;
    for (let at = 0; at < count && segments < SEGMENTS_MAX; at += 1) {
      segments += 1;
      const segment = call.FPDFPath_GetPathSegment(object, at);
      const type = call.FPDFPathSegment_GetType(segment);
      if (call.FPDFPathSegment_GetPoint(segment, scratch, scratch + 4) === 0) continue;
      const point = place(own, engine.float(0), engine.float(1));
      if (type === MOVE_TO) {
        if (first !== null && before !== null) add(before, first);
        first = point;
      } else if (type === LINE_TO && before !== null) add(before, point);
      before = point;
    }
    if (first !== null && before !== null && count > 3) add(before, first);
  };
  const visit = (count: number, objectAt: (at: number) => number, matrix: Matrix, depth: number): void => {
    for (let at = 0; at < count && objects < OBJECTS_MAX; at += 1) {
      objects += 1;
      const object = objectAt(at);
      const type = object === 0 ? 0 : call.FPDFPageObj_GetType(object);
      if (type === PATH) readPath(object, matrix);
      else if (type === FORM && depth < DEPTH_MAX)
        visit(
          call.FPDFFormObj_CountObjects(object),
          (inner) => call.FPDFFormObj_GetObject(object, inner),
          multiply(readObjectMatrix(engine, object), matrix),
          depth + 1,
        );
    }
  };
  visit(call.FPDFPage_CountObjects(page), (at) => call.FPDFPage_GetObject(page, at), IDENTITY, 0);
  return { across: joinRulings(rulings.across), down: joinRulings(rulings.down) };
}

function readObjectMatrix(engine: PdfEngine, object: number): Matrix {
  if (engine.call.FPDFPageObj_GetMatrix(object, engine.scratch) === 0) return IDENTITY;
  return [
    engine.float(0),
    engine.float(1),
    engine.float(2),
    engine.float(3),
    engine.float(4),
    engine.float(5),
  ];
}

/** Returns the matrix that applies `inner` first. */
function multiply(inner: Matrix, outer: Matrix): Matrix {
  const [a, b, c, d, e, f] = inner;
  const [g, h, i, j, k, l] = outer;
  return [a * g + b * i, a * h + b * j, c * g + d * i, c * h + d * j, e * g + f * i + k, e * h + f * j + l];
}

/** Joins pieces of one line, such as the edges of cells drawn one by one. */
function joinRulings(pieces: Ruling[]): Ruling[] {
  const sorted = pieces.sort((a, b) => a.at - b.at || a.from - b.from);
  const joined: Ruling[] = [];
  for (let at = 0; at < sorted.length; ) {
    const first = sorted[at];
    if (first === undefined) break;
    let end = at;
    while ((sorted[end]?.at ?? Number.POSITIVE_INFINITY) - first.at <= NEAR) end += 1;
    const level = sorted.slice(at, end).sort((a, b) => a.from - b.from);
    const place = level.reduce((sum, each) => sum + each.at, 0) / level.length;
    let open: Ruling | null = null;
    for (const { from, to } of level) {
      if (open !== null && from <= open.to + NEAR) open.to = Math.max(open.to, to);
      else {
        open = { at: place, from, to };
        joined.push(open);
      }
    }
    at = end;
  }
  return joined.length > RULINGS_MAX ? [] : joined;
}
