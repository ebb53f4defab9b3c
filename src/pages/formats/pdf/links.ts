import type { PdfEngine } from './engine.ts';
import { rotateUpright } from './upright.ts';

/** An area of a page that links to an address, or to the page of the same file with this number. */
export type LinkArea = { x0: number; x1: number; y0: number; y1: number; target: string | number };

const AREAS_MAX = 500;
/** The engine's PDFACTION_GOTO and PDFACTION_URI. */
const GO_TO = 1;
const URI = 3;
/** Indexes of the scratch numbers after the enumeration position: the link that was found, and the area of that link. */
const LINK = 1;
const AREA = 4;

/** Reads the link areas of a page, rotated like its text. */
export function readLinkAreas(engine: PdfEngine, page: number, quarter: number): LinkArea[] {
  const { call, scratch } = engine;
  const areas: LinkArea[] = [];
  engine.clear();
  while (areas.length < AREAS_MAX && call.FPDFLink_Enumerate(page, scratch, scratch + 4 * LINK) !== 0) {
    const link = engine.integer(LINK);
    const target = readTarget(engine, link);
    if (target === null || call.FPDFLink_GetAnnotRect(link, scratch + 4 * AREA) === 0) continue;
    const [x0, y0] = rotateUpright(engine.float(AREA), engine.float(AREA + 3), quarter);
    const [x1, y1] = rotateUpright(engine.float(AREA + 2), engine.float(AREA + 1), quarter);
    areas.push({
      x0: Math.min(x0, x1),
      x1: Math.max(x0, x1),
      y0: Math.min(y0, y1),
      y1: Math.max(y0, y1),
      target,
    });
  }
  return areas;
}

function readTarget({ call, document, text }: PdfEngine, link: number): string | number | null {
  const action = call.FPDFLink_GetAction(link);
  const type = action === 0 ? 0 : call.FPDFAction_GetType(action);
  if (type === URI) {
    const address = text('utf-8', (buffer, bytes) =>
      call.FPDFAction_GetURIPath(document, action, buffer, bytes),
    );
    return address === '' ? null : address;
  }
  const place =
    type === GO_TO ? call.FPDFAction_GetDest(document, action) : call.FPDFLink_GetDest(document, link);
  const page = place === 0 ? -1 : call.FPDFDest_GetDestPageIndex(document, place);
  return page < 0 ? null : page + 1;
}
