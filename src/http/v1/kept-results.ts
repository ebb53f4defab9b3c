import { createMadeOnce } from '../../platform/made-once.ts';
import type { JsonObject, Worked } from '../calls/call.ts';
import { writeJson } from '../calls/written-json.ts';

/** Results as they are sent: their fields, and their JSON as bytes. */
type SentResults<Fields> = { fields: Fields; json: Uint8Array };

/** Makes what is sent of a list once, for as long as the list is kept. `way`: everything else that shapes it. */
export function createSentResults<Kept extends object, Fields extends { results: JsonObject[] }>(): (
  kept: readonly Kept[],
  way: string,
  make: () => Fields,
) => SentResults<Fields> {
  const sent = createMadeOnce<readonly Kept[], SentResults<Fields>>();
  return (kept, way, make) =>
    sent(kept, way, () => {
      const fields = make();
      return { fields, json: Buffer.from(JSON.stringify(fields.results)) };
    });
}

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
