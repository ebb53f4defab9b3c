import { isObject, type RecordBody } from './record-rows.ts';

type IsMeant = (address: string) => boolean;

/**
 * Pure: takes pages out of a record, as pages that were read and wherever the answer names them. Of an answer that named one, only the lists
 * of other pages stay: any other text of it may quote the page. Returns null if the record knows none of them.
 */
export function forgetInBody(
  { request, answer, pages }: RecordBody,
  isMeant: IsMeant,
): { body: RecordBody; forgotten: number } | null {
  const meant = pages.filter(({ url, readFrom, declared }) => [url, readFrom, declared].some(isMeant));
  const named = new Set(meant.map(({ url }) => url));
  const isForgotten: IsMeant = (text) => {
    if (!/^https?:/i.test(text) || !(named.has(text) || isMeant(text))) return false;
    named.add(text.split('#', 1)[0] ?? text);
    return true;
  };
  const left = omitMeant(answer, isForgotten);
  const asked = omitMeant(request, isForgotten);
  if (named.size === 0) return null;
  return {
    body: {
      request: isObject(asked) ? asked : {},
      answer: isObject(left)
        ? Object.fromEntries(Object.entries(left).filter(([, value]) => isPageList(value)))
        : {},
      pages: pages.filter((page) => !meant.includes(page)),
    },
    forgotten: named.size,
  };
}

/** Returns a value without the objects and addresses of forgotten pages; undefined if it is one itself. */
function omitMeant(value: unknown, isForgotten: IsMeant): unknown {
  if (typeof value === 'string') return isForgotten(value) ? undefined : value;
  if (Array.isArray(value))
    return value.map((one) => omitMeant(one, isForgotten)).filter((one) => one !== undefined);
  if (!isObject(value)) return value;
  const { url } = value;
  if (typeof url === 'string' && isForgotten(url)) return undefined;
  return Object.fromEntries(
    Object.entries(value)
      .map(([name, inner]) => [name, omitMeant(inner, isForgotten)])
      .filter(([, inner]) => inner !== undefined),
  );
}

const isPageList = (value: unknown): boolean =>
  Array.isArray(value) && value.every((one) => isObject(one) && typeof one.url === 'string');
