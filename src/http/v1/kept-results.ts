import { createMadeOnce } from '../../platform/made-once.ts';
import type { JsonObject, Worked } from '../calls/call.ts';
import { writeJson } from '../calls/written-json.ts';

/**
 * The same answer, whose `results` are written once for each of the kept objects that they are made of. `way`: everything else that
 * shapes them.
 */
type WithWrittenResults<Kept extends object> = (answer: Worked, kept: readonly Kept[], way: string) => Worked;

export function createWrittenResults<Kept extends object>(): WithWrittenResults<Kept> {
  const written = createMadeOnce<Kept, Uint8Array>();
  return (answer, kept, way) => ({
    ...answer,
    write(body) {
      // The fields of the shape are an array of objects, in the order of what they are made of.
      const results = body.results as JsonObject[];
      const bytes = kept.map((one, place) =>
        written(one, way, () => Buffer.from(JSON.stringify(results[place]))),
      );
      return writeJson(body, { results: bytes });
    },
  });
}
