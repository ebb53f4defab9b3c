import type { Builder, Mode, StartTag } from './builder.ts';
import type { ContentModel } from './tokenize.ts';

/** What a rule for a start tag says: how to read on, or that the mode has changed and its rule is asked 'again'. */
export type StartResult = ContentModel | 'again';
export type StartRule = (builder: Builder, token: StartTag) => StartResult;
/** A rule for an end tag; true when the mode has changed and its rule is asked again. */
export type EndRule = (builder: Builder, tag: string) => boolean;

/** Changes the mode; the token that ended the old one belongs to the new one. */
export function switchMode(builder: Builder, mode: Mode): 'again' {
  builder.mode = mode;
  return 'again';
}
