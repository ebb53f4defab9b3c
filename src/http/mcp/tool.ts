import type { Answer, JsonObject, Route } from '../calls/call.ts';

/** One argument of a tool, for reading it and for describing it in the tool's definition. */
export type ToolArgument = {
  kind: 'text' | 'count' | 'number' | 'flag' | 'list';
  about?: string;
  required?: true;
  /** Other names that agents use for the argument. */
  aliases?: string[];
  /** Splits a list that came as one string; without it the string is one entry. */
  separator?: RegExp;
};

export type ToolArguments = Record<string, ToolArgument>;

/** Arguments by their defined names. Values that could not be read stay unchanged; the route rejects them. */
export type Arguments = Record<string, unknown>;

/** A call of one of the service's routes. */
export type RouteCall = {
  method: Route['method'];
  /** The route's path as `routes.ts` spells it. */
  path: string;
  /** The request target, if it is more than the path. */
  target?: string;
  body?: JsonObject;
  /** Added to the caller's headers, which they override; names in lower case. */
  headers?: Record<string, string>;
  /** If true, nothing that the call reads is kept for other callers. */
  noStore?: boolean;
};

/** The text for the agent. It may report a failure although the route answered, for example when no page loaded. */
type ToolText = { text: string; isFailure?: true; structured?: JsonObject };

/** A tool stands for one route: it maps arguments to a request and the answer to text, and does nothing else. */
export type Tool = {
  /** Without the brand prefix. */
  name: string;
  /** The name shown to people. */
  title: string;
  description: string;
  /** The last sentence of the description where calls are metered. */
  price: string;
  /** Offered only where there are keys. */
  isAboutKeys?: true;
  /** Has the name that another service gave it, without the brand prefix; offered only where the address names it. */
  isForeign?: true;
  /** Earlier names, under which it can still be called. */
  otherNames?: readonly string[];
  /** Listed where a model is set; elsewhere only if it is chosen by name, because every definition costs agents context. */
  isAboutWriting?: true;
  fields: ToolArguments;
  annotations: Record<string, boolean>;
  /** The JSON Schema of the structured answer, for tools whose answer is a few values. */
  output?: JsonObject;
  /** Slow: its answer is streamed, and it is not run again for the rest of a cut answer. */
  isLong?: true;
  call(args: Arguments): RouteCall;
  write(answer: Answer['body'], args: Arguments): ToolText;
};

/** Annotations of tools that only read. The protocol assumes by default that tools reach the open web. */
export const READ_ONLY = { readOnlyHint: true };

/** Arguments of every tool that reads: the token budget, the cursor, and whether pages may be kept. */
export const READ_FIELDS = {
  max_tokens: { kind: 'count', aliases: ['token_budget'] },
  cursor: { kind: 'text' },
  store: { kind: 'flag', about: 'keep pages' },
} as const satisfies ToolArguments;
