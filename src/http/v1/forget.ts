import * as z from 'zod';
import type { PageSelector } from '../../index/local-index-types.ts';
import type { Forget } from '../../index/upkeep/forget.ts';
import { normalizeSelector } from '../../index/upkeep/page-selector.ts';
import type { Answer, Call } from '../calls/call.ts';
import { createValidationFailure } from '../calls/json-body.ts';

/** Parameters that select the pages to delete; exactly one must be given. */
export const FORGET_PARAMETERS: { name: string; in: 'query'; about: string; schema: z.ZodType }[] = [
  { name: 'url', in: 'query', about: 'The address of a page, in any spelling.', schema: z.string() },
  {
    name: 'host',
    in: 'query',
    about: 'A host with its subdomains, such as example.org.',
    schema: z.string(),
  },
  { name: 'prefix', in: 'query', about: 'Such as https://example.org/docs/.', schema: z.string() },
];

/** DELETE /v1/index: deletes pages and every copy of them. */
export function createForgetHandler(
  forget: Forget,
  onForgotten: (selector: PageSelector, forgotten: Awaited<ReturnType<Forget>>) => Promise<void>,
): (call: Call) => Promise<Answer> {
  return async ({ query, requestId }) => {
    const selector = parseSelector(query);
    const forgotten = await forget(selector);
    await onForgotten(selector, forgotten);
    return { body: { ...forgotten, requestId } };
  };
}

function parseSelector(query: URLSearchParams): PageSelector {
  const given = FORGET_PARAMETERS.flatMap(({ name }) => query.getAll(name).map((value) => [name, value]));
  const [[name, value] = [], more] = given;
  if (value === undefined || more !== undefined)
    throw createValidationFailure([
      { field: name ?? 'url', message: 'give exactly one of url, host and prefix in the query' },
    ]);
  if (name === 'url') return normalizeSelector({ url: value });
  return normalizeSelector(name === 'host' ? { host: value } : { prefix: value });
}
