import type { JsonObject } from './call.ts';

/** A field of a body whose JSON is kept: the parts of an array, or one value. */
type KeptField = Uint8Array | readonly Uint8Array[];

const COMMA = Buffer.from(',');
const [ARRAY_START, ARRAY_END] = [Buffer.from('['), Buffer.from(']')];

/**
 * The JSON of a body as bytes, the same as `JSON.stringify` gives: `kept` holds fields that have been written before, the others, which
 * vary from call to call, are written anew.
 */
export function writeJson(body: JsonObject, kept: Readonly<Record<string, KeptField>>): Uint8Array {
  const pieces: Uint8Array[] = [];
  let text = '{';
  for (const [name, value] of Object.entries(body)) {
    const written = Object.hasOwn(kept, name) ? kept[name] : undefined;
    const json = written === undefined ? JSON.stringify(value) : '';
    if (json === undefined) continue;
    text += `${text === '{' && pieces.length === 0 ? '' : ','}${JSON.stringify(name)}:${json}`;
    if (written === undefined) continue;
    pieces.push(Buffer.from(text), ...(written instanceof Uint8Array ? [written] : arrayOf(written)));
    text = '';
  }
  pieces.push(Buffer.from(`${text}}`));
  return Buffer.concat(pieces);
}

function arrayOf(items: readonly Uint8Array[]): Uint8Array[] {
  const parts = items.flatMap((item, place) => (place === 0 ? [item] : [COMMA, item]));
  return [ARRAY_START, ...parts, ARRAY_END];
}
