import type { Answer, JsonObject, Route } from '../calls/call.ts';

/** One argument of a tool: how it is read from what an agent writes, and what its definition says. */
export type Field = {
  kind: 'text' | 'count' | 'number' | 'flag' | 'list';
  about?: string;
  required?: true;
  /** Other names that agents are known to use. */
  aliases?: string[];
  /** What separates the entries of a list that came as one string; absent: the string is one entry. */
  separator?: RegExp;
};

export type Fields = Record<string, Field>;

/** Arguments by their names in the definition. Values that could not be read stay as they came, for the route to refuse. */
export type Arguments = Record<string, unknown>;

/** A call of a route of the interface. */
export type RouteCall = {
  method: Route['method'];
  /** The path of the route as it stands in the table of routes. */
  path: string;
  /** The request target where it says more than the path. */
  target?: string;
  body?: JsonObject;
};

/** What an agent reads; a failure is one although the route answered, such as a call of which no page loaded. */
type Written = { text: string; isFailure?: true };

/** A tool stands for a route: it maps arguments to its body and its answer to text, and does nothing else. */
export type Tool = {
  /** Without the brand. */
  name: string;
  description: string;
  fields: Fields;
  annotations: Record<string, boolean>;
  /** Takes so long that its answer is streamed, and is too dear to be run again for the rest of an answer. */
  isLong?: true;
  call(args: Arguments): RouteCall;
  write(answer: Answer['body'], args: Arguments): Written;
};

/** Annotations of tools that only look. */
export const LOOKS = { readOnlyHint: true, openWorldHint: true };

/** The bound of an answer and the place in it where a further call goes on; every tool with long answers takes them. */
export const PART_FIELDS = {
  max_tokens: { kind: 'count', aliases: ['token_budget'] },
  cursor: { kind: 'text', about: 'from a cut answer' },
} as const satisfies Fields;
