import type { Answer, JsonObject, Route } from '../calls/call.ts';

/** One argument of a tool: how to read it, and how its definition describes it. */
export type ToolArgument = {
  kind: 'text' | 'count' | 'number' | 'flag' | 'list';
  about?: string;
  required?: true;
  /** Other names that agents use for it. */
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
  /** Beside those of the caller, which they replace; names in lower case. */
  headers?: Record<string, string>;
  /** Keeps nothing of what it reads for other callers. */
  noStore?: boolean;
};

/** The text for the agent. It may be a failure although the route answered, for example when no page loaded. */
type ToolText = { text: string; isFailure?: true; structured?: JsonObject };

/** A tool stands for one route: it maps arguments to a request and the answer to text, and does nothing else. */
export type Tool = {
  /** Without the brand prefix. */
  name: string;
  /** What a person sees. */
  title: string;
  description: string;
  /** Ends the description where calls are metered. */
  price: string;
  /** Offered only where there are keys. */
  isAboutKeys?: true;
  fields: ToolArguments;
  annotations: Record<string, boolean>;
  /** The JSON Schema of the structured answer, for tools whose answer is a few values. */
  output?: JsonObject;
  /** Slow: its answer is streamed, and it is not run again for the rest of a cut answer. */
  isLong?: true;
  call(args: Arguments): RouteCall;
  write(answer: Answer['body'], args: Arguments): ToolText;
};

/** Annotations of tools that only read. That they reach the open web is the protocol's default. */
export const READ_ONLY = { readOnlyHint: true };

/** What every tool that reads takes: the token budget, the cursor, and whether pages may be kept. */
export const READ_FIELDS = {
  max_tokens: { kind: 'count', aliases: ['token_budget'] },
  cursor: { kind: 'text', about: 'from a cut answer' },
  store: { kind: 'flag', about: 'false: keep no page' },
} as const satisfies ToolArguments;
