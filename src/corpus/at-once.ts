import { Failure } from '../errors.ts';

/** Does a piece of work when there is room for it. */
export type InTurn = <T>(work: () => Promise<T>) => Promise<T>;

/** Lets so many calls be under way at once; further ones throw `Failure('overloaded')` with `refusal`. */
export function atOnce(max: number, refusal: string): InTurn {
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
