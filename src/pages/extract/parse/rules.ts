import type { Builder, Mode, StartTag } from './builder.ts';
import type { ContentModel } from './tokenize.ts';

/** Result of a rule for a start tag: how to read on, or 'again' when the mode changed and its rule must be applied. */
export type StartResult = ContentModel | 'again';
export type StartRule = (builder: Builder, token: StartTag) => StartResult;
/** A rule for an end tag; returns true when the mode changed and its rule must be applied. */
export type EndRule = (builder: Builder, tag: string) => boolean;

/** Switches the mode; the current token is then handled by the new one. */
export function switchMode(builder: Builder, mode: Mode): 'again' {
  builder.mode = mode;
  return 'again';
}
