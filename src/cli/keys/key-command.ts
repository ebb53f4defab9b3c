import { type Billing, createBilling } from '../../app/compose-billing.ts';
import type { Config } from '../../app/config.ts';
import type { KeyRecord } from '../../billing/keys/keys.ts';
import type { KeyTerms } from '../../billing/limits/key-limits.ts';
import { createLog } from '../../platform/log.ts';

/** Options of every command about keys. */
export type Options = { json?: boolean };
/** Values of `--per-minute`, `--per-day` and `--expires`: infinity removes a limit; absent: not given. */
export type TermOptions = { perMinute?: number; perDay?: number; expires?: number };

/** Opens the ledger for a command and closes it afterwards. */
export async function withBilling(
  config: Config,
  work: (billing: Billing) => Promise<number>,
): Promise<number> {
  const billing = await createBilling(config, { log: createLog(config.logLevel) });
  try {
    return await work(billing);
  } finally {
    await billing.close();
  }
}

/** Finds the key for a command. The argument may be a secret key, so errors repeat only ids. */
export function withKey(
  config: Config,
  idOrKey: string,
  work: (record: KeyRecord, billing: Billing) => Promise<number>,
): Promise<number> {
  return withBilling(config, async (billing) => {
    const record = await billing.keys.show(idOrKey);
    if (record !== null) return work(record, billing);
    const name = idOrKey.startsWith('key_') ? idOrKey : 'like that';
    return refuse(`There is no key ${name}; sanderling keys list shows all keys.`);
  });
}

/** Reads the given terms; null removes one. */
export function readGivenTerms({ perMinute, perDay, expires }: TermOptions): Partial<KeyTerms> {
  const given = Object.entries({ perMinute, perDay, expiresAt: expires });
  return Object.fromEntries(
    given.flatMap(([name, term]) =>
      term === undefined ? [] : [[name, Number.isFinite(term) ? term : null]],
    ),
  );
}

/** Returns true if a key has expired. */
export const isExpired = ({ expiresAt }: KeyTerms): boolean => expiresAt !== null && expiresAt <= Date.now();

/** Converts limits to the form that `--json` prints. */
export function toTermsJson({ expiresAt, ...calls }: KeyTerms): Record<string, unknown> {
  return { ...calls, expiresAt: expiresAt === null ? null : new Date(expiresAt).toISOString() };
}

/** Converts a key to the form that `--json` prints. */
export function toRecordJson({ createdAt, terms, ...record }: KeyRecord): Record<string, unknown> {
  return { ...record, ...toTermsJson(terms), createdAt: new Date(createdAt).toISOString() };
}

/** Prints a line of the answer on standard output. */
export function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** Prints the answer as JSON. */
export function printJson(value: unknown): void {
  print(JSON.stringify(value, null, 2));
}

/** Prints a note for the user on standard error. */
export function printNote(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** Prints why nothing was done, and returns the exit code. */
export function refuse(text: string): number {
  printNote(text);
  return 1;
}
