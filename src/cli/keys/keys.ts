/**
 * The commands of `sanderling keys` for operators: create, list, show, limit, grant and revoke. Each resolves to the exit code.
 * Answers go to standard output, notes to standard error, so that scripts can read the answers. The rules are in `billing/keys`.
 */
import { randomUUID } from 'node:crypto';
import { styleText } from 'node:util';
import type { Config } from '../../app/config.ts';
import { KEYS_PER_ACCOUNT_MAX } from '../../billing/keys/key-procedures.ts';
import { hasTerms, NO_TERMS } from '../../billing/limits/key-limits.ts';
import { formatKeyTerms } from '../../billing/limits/key-terms.ts';
import { toUtcDay } from '../../platform/clock.ts';
import {
  isExpired,
  type Options,
  print,
  printJson,
  printNote,
  readGivenTerms,
  refuse,
  type TermOptions,
  toRecordJson,
  toTermsJson,
  withBilling,
  withKey,
} from './key-command.ts';

/** `sanderling keys create`: only the key goes to standard output, so that a script can read it. */
export function createKey(
  config: Config,
  {
    credits,
    label = null,
    store,
    json,
    ...given
  }: Options & TermOptions & { credits: number; label?: string | null; store: boolean },
): Promise<number> {
  return withBilling(config, async ({ keys }) => {
    const noStore = !store;
    const terms = { ...NO_TERMS, ...readGivenTerms(given) };
    const { keyId, apiKey } = await keys.create({ credits, label, noStore, terms });
    if (json) printJson({ id: keyId, apiKey, credits, label, noStore, ...toTermsJson(terms) });
    else {
      print(apiKey);
      printNote(`This is ${keyId} with ${credits} credits. The key is not stored and cannot be shown again.`);
      if (hasTerms(terms)) printNote(`It may be used as follows: ${formatKeyTerms(terms)}.`);
      if (credits === 0) printNote(`Grant it credits: sanderling keys grant ${keyId} 1000`);
    }
    return 0;
  });
}

export function listKeys(
  config: Config,
  { limit, account, json }: Options & { limit: number; account?: string },
): Promise<number> {
  return withBilling(config, async ({ keys }) => {
    // One more than the limit shows whether there are more.
    const found = account === undefined ? await keys.list(limit + 1) : await keys.ofAccount(account);
    const records = found.slice(0, limit);
    const someTerms = records.some(({ terms }) => hasTerms(terms));
    if (json) printJson(records.map(toRecordJson));
    else if (records.length === 0)
      printNote('There are no keys yet. Create one: sanderling keys create --credits 1000');
    else
      print(
        formatTable(
          ['id', 'key', 'kind', 'state', 'credits', 'created', ...(someTerms ? ['limits'] : []), 'label'],
          records.map(({ id, hint, kind, state, terms, credits, createdAt, label }) => [
            ...[id, `${hint}…`, kind, isExpired(terms) ? 'expired' : state, credits, toUtcDay(createdAt)],
            ...(someTerms ? [hasTerms(terms) ? formatKeyTerms(terms) : ''] : []),
            label ?? '',
          ]),
        ),
      );
    if (found.length > limit) printNote('There are more keys; --limit shows them.');
    return 0;
  });
}

export function showKey(config: Config, idOrKey: string, { json }: Options): Promise<number> {
  return withKey(config, idOrKey, async (record, { balanceOf }) => {
    const { burnRatePerDay, terms } = await balanceOf(record.id);
    const callsToday = terms?.callsToday ?? null;
    if (json) printJson({ ...toRecordJson(record), burnRatePerDay, callsToday });
    else
      for (const [name, value] of [
        ['id', record.id],
        ['key', `${record.hint}…`],
        ['kind', record.kind],
        ['account', record.account === record.id ? null : record.account],
        ['may', record.manages ? 'call, and manage the account' : 'call'],
        ['state', isExpired(record.terms) ? 'expired' : record.state],
        ['credits', `${record.credits}, and ${record.held} held by running calls`],
        ['used a day', `${burnRatePerDay} over the last 7 days`],
        [
          'old secret',
          record.oldUntil === null ? '' : `works until ${new Date(record.oldUntil).toISOString()}`,
        ],
        ['limits', hasTerms(record.terms) ? formatKeyTerms(record.terms) : ''],
        ['calls today', callsToday === null ? '' : `${callsToday} (UTC)`],
        ['created', new Date(record.createdAt).toISOString()],
        ['network', record.network],
        ['store', record.noStore ? 'nothing that it reads is kept for others' : ''],
        ['label', record.label],
      ])
        if (value) print(`${styleText('dim', (name ?? '').padEnd(11))} ${value}`);
    return 0;
  });
}

/** Shows the limits if no options are given. Bought and free keys have none, as the API promises, but owners may limit further keys. */
export function limitKey(
  config: Config,
  idOrKey: string,
  { json, ...given }: Options & TermOptions,
): Promise<number> {
  return withKey(config, idOrKey, async ({ id, account, kind, terms: before }, { keys }) => {
    if (kind !== 'operator' && id === account)
      return refuse(
        `${id} is a ${kind} key: only its credits limit it. Limits are for keys made by keys create or keys add.`,
      );
    const change = readGivenTerms(given);
    if (Object.keys(change).length > 0) await keys.changeTerms(id, change);
    const terms = { ...before, ...change };
    if (json) printJson({ id, ...toTermsJson(terms) });
    else print(`${id}: ${formatKeyTerms(terms)}.`);
    return 0;
  });
}

/** Grants credits. Repeating a grant with the same reference counts once and is not an error, so scripts can retry. */
export function grantToKey(
  config: Config,
  idOrKey: string,
  wanted: Options & { credits: number; ref?: string },
): Promise<number> {
  const { credits, ref = `grant:${randomUUID()}`, json } = wanted;
  return withKey(config, idOrKey, async ({ id: keyId, state }, { keys }) => {
    if (state === 'revoked') return refuse(`${keyId} is revoked and cannot spend credits.`);
    const granted = await keys.grant({ keyId, credits, ref });
    if (granted.kind === 'unknown key') throw new Error(`the key ${keyId} has no account`);
    const { available } = granted;
    if (granted.kind === 'granted before') {
      const { before } = granted;
      if (before.keyId !== keyId || before.credits !== credits)
        return refuse(
          `Nothing granted: the reference ${ref} was used for ${before.credits} credits of ${before.keyId}.`,
        );
    }
    const isNew = granted.kind === 'granted';
    if (json) printJson({ id: keyId, granted: isNew ? credits : 0, ref, credits: available });
    else if (isNew)
      print(
        `Granted ${credits} credits to ${keyId} with the reference ${ref}. It now has ${available} credits.`,
      );
    else
      print(`Nothing changed: the reference ${ref} was already counted. ${keyId} has ${available} credits.`);
    return 0;
  });
}

export function revokeKey(config: Config, idOrKey: string, { json }: Options): Promise<number> {
  return withKey(config, idOrKey, async (record, { keys }) => {
    const { id, hint, kind, state, credits, label } = record;
    await keys.revoke(id);
    const name = `the ${kind} key ${hint}…${label === null ? '' : ` (${label})`}`;
    if (json) printJson({ ...toRecordJson(record), state: 'revoked' });
    else if (state === 'revoked') print(`${id}, ${name}, was already revoked: nothing changed.`);
    else print(`${id}, ${name}, is revoked. Its ${credits} credits can no longer be spent.`);
    return 0;
  });
}

/** Formats a table: columns are as wide as their widest cell and two spaces apart, with numbers aligned right. */
function formatTable(titles: string[], rows: (string | number)[][]): string {
  const widths = titles.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => String(row[column] ?? '').length)),
  );
  const formatRow = (row: (string | number)[], isNumber: (column: number) => boolean): string =>
    row
      .map((cell, column) => {
        const width = widths[column] ?? 0;
        return isNumber(column) ? String(cell).padStart(width) : String(cell).padEnd(width);
      })
      .join('  ')
      .trimEnd();
  const isNumber = (column: number): boolean => typeof rows[0]?.[column] === 'number';
  return [styleText('dim', formatRow(titles, isNumber)), ...rows.map((row) => formatRow(row, isNumber))].join(
    '\n',
  );
}

/** `sanderling keys add`: adds a key that draws on the account of another. Like all commands here, resolves to the exit code. */
export function addKey(
  config: Config,
  idOrKey: string,
  {
    label = null,
    manages = false,
    store,
    json,
    ...given
  }: Options & TermOptions & { label?: string | null; manages?: boolean; store: boolean },
): Promise<number> {
  return withKey(config, idOrKey, async ({ id, account }, { keys }) => {
    const terms = { ...NO_TERMS, ...readGivenTerms(given) };
    const added = await keys.addTo(id, { label, manages, terms, noStore: !store });
    if (added === null)
      return refuse(
        `The account ${account} has ${KEYS_PER_ACCOUNT_MAX} keys, the most it may have. Revoke one: sanderling keys list --account ${account}`,
      );
    const { keyId, apiKey } = added;
    if (json)
      printJson({ id: keyId, apiKey, account, label, manages, noStore: !store, ...toTermsJson(terms) });
    else {
      print(apiKey);
      printNote(
        `This is ${keyId}; it draws on the credits of ${account}. The key is not stored and cannot be shown again.`,
      );
      if (hasTerms(terms)) printNote(`It may be used as follows: ${formatKeyTerms(terms)}.`);
    }
    return 0;
  });
}

/** `sanderling keys rotate`: gives a key a new secret; the old one keeps working for `overlap` milliseconds. */
export function rotateKey(
  config: Config,
  idOrKey: string,
  { overlap, json }: Options & { overlap: number },
): Promise<number> {
  return withKey(config, idOrKey, async ({ id, hint }, { keys }) => {
    const rotated = await keys.rotate(id, { overlapMs: overlap });
    if (rotated === null) return refuse(`${id} is revoked and cannot be rotated.`);
    const { apiKey, oldUntil } = rotated;
    const until = oldUntil === null ? null : new Date(oldUntil).toISOString();
    if (json) printJson({ id, apiKey, oldUntil: until });
    else {
      print(apiKey);
      const end = until === null ? 'ended at once' : `works until ${until}`;
      printNote(`${id} has a new secret, which cannot be shown again. The old one, ${hint}…, ${end}.`);
    }
    return 0;
  });
}

/** `sanderling keys label`: changes the label of a key, and whether its holder may sign in and manage the account. */
export function describeKey(
  config: Config,
  idOrKey: string,
  { label, manages, json }: Options & { label?: string; manages?: boolean },
): Promise<number> {
  return withKey(config, idOrKey, async ({ id }, { keys }) => {
    const change = {
      ...(label === undefined ? {} : { label }),
      ...(manages === undefined ? {} : { manages }),
    };
    if (!(await keys.describe(id, change)))
      return refuse(
        `${id} is the last key that may manage its account. Add another: sanderling keys add ${id} --manages`,
      );
    const record = await keys.show(id);
    if (record === null) throw new Error(`the key ${id} is gone`);
    if (json) printJson(toRecordJson(record));
    else
      print(
        `${id}${record.label === null ? '' : ` (${record.label})`} may ${record.manages ? 'call and manage the account' : 'call'}.`,
      );
    return 0;
  });
}
