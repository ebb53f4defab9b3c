import { invalid } from './failure.ts';
import type { Params } from './form.ts';
import type { Account } from './objects.ts';

type Sent = Record<string, unknown>;

/** An object as it is sent: a copy, with the named ids replaced by their objects. */
export function answerOf(account: Account, object: object, params: Params): Sent {
  const sent = sentOf(object);
  for (const path of Object.values(params.under('expand'))) expand(account, sent, path.split('.'), path);
  return sent;
}

function sentOf(object: object): Sent {
  return structuredClone(object) as Sent;
}

function expand(account: Account, sent: Sent, [first = '', ...rest]: string[], path: string): void {
  const value = sent[first];
  if (Array.isArray(value)) {
    for (const one of value) expand(account, one, rest, path);
    return;
  }
  const found = typeof value === 'string' ? objectOf(account, value) : value;
  if (found === undefined || !(first in sent))
    throw invalid(`This property cannot be expanded (${path}).`, { param: 'expand' });
  if (found === null) return;
  sent[first] = typeof value === 'string' ? sentOf(found as object) : found;
  if (rest.length > 0) expand(account, sent[first] as Sent, rest, path);
}

function objectOf(account: Account, id: string): object | undefined {
  const { customers, cards, intents, charges, sessions } = account;
  for (const known of [customers, cards, intents, charges, sessions]) {
    const found = known.get(id);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The parameters that every list takes. */
export const LIST_TAKES = ['limit', 'starting_after', 'ending_before', 'expand.#', 'created', 'created.*'];
const LIMIT_STANDARD = 10;
const LIMIT_MAX = 100;

/** A page of a list, newest first. */
export function listOf(
  account: Account,
  all: Iterable<{ id: string; created: number }>,
  { params, url }: { params: Params; url: string },
): Sent {
  const limit = params.whole('limit') ?? LIMIT_STANDARD;
  if (limit < 1 || limit > LIMIT_MAX)
    throw invalid(`This value must be between 1 and ${LIMIT_MAX}.`, { param: 'limit' });
  const [least, most] = [params.whole('created.gte') ?? 0, params.whole('created.lte') ?? Infinity];
  const newestFirst = [...all]
    .filter(({ created }) => created >= least && created <= most)
    .sort((a, b) => (a.id < b.id ? 1 : -1));
  const after = params.text('starting_after');
  const start = after === null ? 0 : newestFirst.findIndex(({ id }) => id === after) + 1;
  const page = newestFirst.slice(start, start + limit);
  const sent: Sent = {
    object: 'list',
    url,
    has_more: newestFirst.length > start + limit,
    data: page.map(sentOf),
  };
  for (const path of Object.values(params.under('expand'))) expand(account, sent, path.split('.'), path);
  return sent;
}
