import { type Billing, createBilling } from '../../app/compose-billing.ts';
import type { Config } from '../../app/config.ts';
import type { KeyRecord } from '../../billing/keys/keys.ts';
import type { KeyTerms } from '../../billing/limits/key-limits.ts';
import { createLog } from '../../platform/log.ts';

/** What every command about keys takes. */
export type Options = { json?: boolean };
/** What `--per-minute`, `--per-day` and `--expires` say: infinity removes a limit, absent ones were not given. */
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

/** The argument may be a secret key, so errors repeat only ids. */
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

/** The terms that were given; null removes one. */
export function readGivenTerms({ perMinute, perDay, expires }: TermOptions): Partial<KeyTerms> {
  const given = Object.entries({ perMinute, perDay, expiresAt: expires });
  return Object.fromEntries(
    given.flatMap(([name, term]) =>
      term === undefined ? [] : [[name, Number.isFinite(term) ? term : null]],
    ),
  );
}

/** Whether a key has expired. */
export const isExpired = ({ expiresAt }: KeyTerms): boolean => expiresAt !== null && expiresAt <= Date.now();

/** Limits as `--json` prints them. */
export function toTermsJson({ expiresAt, ...calls }: KeyTerms): Record<string, unknown> {
  return { ...calls, expiresAt: expiresAt === null ? null : new Date(expiresAt).toISOString() };
}

/** A key as `--json` prints it. */
export function toRecordJson({ createdAt, terms, ...record }: KeyRecord): Record<string, unknown> {
  return { ...record, ...toTermsJson(terms), createdAt: new Date(createdAt).toISOString() };
}

/** One line of the answer. */
export function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** The answer for programs. */
export function printJson(value: unknown): void {
  print(JSON.stringify(value, null, 2));
}

/** A line for the person at the terminal. */
export function printNote(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** Says why nothing was done; returns the exit code. */
export function refuse(text: string): number {
  printNote(text);
  return 1;
}
