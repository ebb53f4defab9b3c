import { Failure } from '../errors.ts';

/** Lets so many calls be under way at once; further ones throw `Failure('overloaded')` with `refusal`. */
export function atOnce(max: number, refusal: string): <T>(work: () => Promise<T>) => Promise<T> {
  let underWay = 0;
  return async (work) => {
    if (underWay >= max) throw new Failure('overloaded', refusal);
    underWay += 1;
    try {
      return await work();
    } finally {
      underWay -= 1;
    }
  };
}
