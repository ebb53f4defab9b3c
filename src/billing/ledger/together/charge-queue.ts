import type { ChargeArgs, Charged } from '../charge-procedures.ts';
import type { ChargesOfKey } from './charges-together.ts';

/** Charges that go to the ledger together, at most; a group that is refused is asked for one by one. */
export const TOGETHER_MAX = 64;

/** Rounds of charges that one writer is given at a time: while it makes one, the answers of the other leave and the next is collected. */
const ROUNDS_OF_WRITER = 2;

type Asking = {
  alone(wanted: ChargeArgs): Promise<Charged>;
  /** Null: each has to be asked for by itself. */
  together(wanted: ChargesOfKey): Promise<Charged[] | null>;
};

/** Takes a charge, and calls one of the two functions once it is made or has failed. */
export type ChargeQueue = (
  wanted: ChargeArgs,
  resolve: (charged: Charged) => void,
  reject: (problem: unknown) => void,
) => void;

type Waiting = {
  wanted: ChargeArgs;
  resolve: Parameters<ChargeQueue>[1];
  reject: Parameters<ChargeQueue>[2];
};

/** The charges that wait, and how many rounds are under way or about to be. */
type Line = { waiting: Waiting[]; atWork: number };

/**
 * Sends charges to the ledger together that come in one turn of the event loop, or while others of their line are under way: those of a
 * key as one, because they would wait for the same row or the same commit in any case. By default each key has a line of its own and waits
 * for no other. `isOneWriter`: all keys share one line, so that what a single writer would do one after the other anyway takes one
 * message and one commit for all that came meanwhile; it has `ROUNDS_OF_WRITER` of them, so that neither side waits for the other.
 */
export function createChargeQueue({ alone, together }: Asking, { isOneWriter = false } = {}): ChargeQueue {
  const lines = new Map<string, Line>();
  const roundsMax = isOneWriter ? ROUNDS_OF_WRITER : 1;

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
  const work = async (name: string, line: Line): Promise<void> => {
    const { waiting } = line;
    line.atWork += 1;
    // Whoever got an answer in this turn may be asking again.
    for (await endOfTurn(); waiting.length > 0; await endOfTurn()) {
      const groups = Map.groupBy(waiting.splice(0, TOGETHER_MAX), ({ wanted }) => wanted.keyId);
      await Promise.all([...groups].map(([keyId, group]) => all(keyId, group)));
    }
    line.atWork -= 1;
    if (line.atWork === 0) lines.delete(name);
  };
  return (wanted, resolve, reject) => {
    const { keyId, amount } = wanted;
    const waiting = { wanted, resolve, reject };
    // It fails, and shall not fail others.
    if (!Number.isSafeInteger(amount) || amount < 1) {
      void one(waiting);
      return;
    }
    const name = isOneWriter ? '' : keyId;
    const line = lines.get(name) ?? { waiting: [], atWork: 0 };
    lines.set(name, line);
    line.waiting.push(waiting);
    if (line.atWork < roundsMax && line.waiting.length === 1) void work(name, line);
  };
}

const endOfTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
