import type { Answer, JsonObject } from '../calls/call.ts';

/** Builds an answer whose body is an array. */
export function buildJsonList(
  items: readonly JsonObject[],
  headers: Record<string, string> = {},
): Pick<Answer, 'body' | 'headers'> {
  return {
    body: JSON.stringify(items),
    headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
  };
}
