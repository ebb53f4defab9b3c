import type { PdfEngine } from './engine.ts';
import { upright } from './upright.ts';

/** A part of a page that leads to an address, or to the page of the same file with this number. */
export type LinkArea = { x0: number; x1: number; y0: number; y1: number; target: string | number };

const AREAS_MAX = 500;
/** PDFACTION_GOTO and PDFACTION_URI of the engine. */
const GO_TO = 1;
const URI = 3;
/** Places in the scratch numbers, after the one at which the engine goes on: the link that it found, and that link's area. */
const LINK = 1;
const AREA = 4;

/** The link areas of a page, turned as its text is. */
export function linkAreas(engine: PdfEngine, page: number, quarter: number): LinkArea[] {
  const { call, scratch } = engine;
  const areas: LinkArea[] = [];
  engine.clear();
  while (areas.length < AREAS_MAX && call.FPDFLink_Enumerate(page, scratch, scratch + 4 * LINK) !== 0) {
    const link = engine.integer(LINK);
    const target = targetOf(engine, link);
    if (target === null || call.FPDFLink_GetAnnotRect(link, scratch + 4 * AREA) === 0) continue;
    const [x0, y0] = upright(engine.float(AREA), engine.float(AREA + 3), quarter);
    const [x1, y1] = upright(engine.float(AREA + 2), engine.float(AREA + 1), quarter);
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

function targetOf({ call, document, text }: PdfEngine, link: number): string | number | null {
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
