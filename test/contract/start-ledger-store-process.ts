import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

export type BooksProcess = {
  /** Lets it go on, and gives what it then tells. */
  goOn(): Promise<unknown>;
  /** Waits for its end; gives its exit code. */
  ended: Promise<unknown>;
};

/** Starts another process on the same books; resolves when it is ready to do its one thing. */
export async function startLedgerProcess(
  what: 'open' | 'count' | 'lock',
  place: { dataDir: string; databaseUrl: string | null },
): Promise<BooksProcess> {
  const { dataDir, databaseUrl } = place;
  const child = spawn(
    process.execPath,
    [join(import.meta.dirname, 'ledger-store-process.ts'), what, JSON.stringify({ dataDir, databaseUrl })],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  );
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async (): Promise<unknown> =>
    JSON.parse((await lines.next()).value ?? '"ended without a word"');
  const ended = once(child, 'exit').then(([code]) => code);
  await next();
  return {
    ended,
    async goOn() {
      child.stdin.write('go\n');
      return next();
    },
  };
}
