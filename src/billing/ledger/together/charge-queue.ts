import type { ChargeArgs, Charged } from '../charge-procedures.ts';
import type { ChargesOfKey } from './charges-together.ts';

/** Charges that go to the ledger together, at most; a group that is refused is asked for one by one. */
export const TOGETHER_MAX = 64;

type Asking = {
  alone(wanted: ChargeArgs): Promise<Charged>;
  /** Null: each has to be asked for by itself. */
  together(wanted: ChargesOfKey): Promise<Charged[] | null>;
};

type Waiting = PromiseWithResolvers<Charged> & { wanted: ChargeArgs };

/**
 * Sends charges to the ledger together that come in one turn of the event loop, or while others of their line are under way: those of a
 * key as one, because they would wait for the same row or the same commit in any case. By default each key has a line of its own and waits
 * for no other. `isOneWriter`: all keys share one line, so that what a single writer would do one after the other anyway takes one
 * message and one commit for all that came meanwhile.
 */
export function createChargeQueue(
  { alone, together }: Asking,
  { isOneWriter = false } = {},
): Asking['alone'] {
  /** Lines with charges under way or about to be, and the charges that wait for them. */
  const lines = new Map<string, Waiting[]>();

  const one = ({ wanted, resolve, reject }: Waiting): Promise<void> => alone(wanted).then(resolve, reject);
  const all = async (keyId: string, waiting: readonly Waiting[]): Promise<void> => {
    const [first] = waiting;
    if (first !== undefined && waiting.length === 1) return one(first);
    const charges = waiting.map(({ wanted: { keyId: _, ...charge } }) => charge);
    try {
      const charged = await together({ keyId, charges });
      if (charged === null) await Promise.all(waiting.map(one));
      else for (const [place, { resolve }] of waiting.entries()) resolve(charged[place] as Charged);
    } catch (error) {
      // Whether they were made is unknown; each caller asks again under its id.
      for (const { reject } of waiting) reject(error);
    }
  };
  const work = async (line: string, waiting: Waiting[]): Promise<void> => {
    // Whoever got an answer in this turn may be asking again.
    for (await endOfTurn(); waiting.length > 0; await endOfTurn()) {
      const groups = Map.groupBy(waiting.splice(0, TOGETHER_MAX), ({ wanted }) => wanted.keyId);
      await Promise.all([...groups].map(([keyId, group]) => all(keyId, group)));
    }
    lines.delete(line);
  };
  return (wanted) => {
    const { keyId, amount } = wanted;
    // It fails, and shall not fail others.
    if (!Number.isSafeInteger(amount) || amount < 1) return alone(wanted);
    const waiting = { wanted, ...Promise.withResolvers<Charged>() };
    const line = isOneWriter ? '' : keyId;
    const begun = lines.get(line);
    if (begun !== undefined) begun.push(waiting);
    else {
      const first = [waiting];
      lines.set(line, first);
      void work(line, first);
    }
    return waiting.promise;
  };
}

const endOfTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
