import { steadyClock } from '../../platform/clock.ts';
import { serveCalls } from '../../platform/threads/serve-calls.ts';
import { type ApiEcosystem, type ApiReference, createApiReference, GRAMMARS } from './api-reference.ts';
import { openGrammars } from './open-grammars.ts';

/** The files of a package that its reference is made from. */
export type PackageSources = {
  ecosystem: ApiEcosystem;
  files: readonly { path: string; bytes: Uint8Array }[];
};

/** Calls that the thread serves. */
export type ReferenceCalls = { createReference(sources: PackageSources): Promise<ApiReference> };

serveCalls({
  async createReference({ ecosystem, files }) {
    const grammars = await openGrammars(GRAMMARS[ecosystem]);
    const decoder = new TextDecoder();
    const texts = new Map(files.map(({ path, bytes }) => [path, decoder.decode(bytes)]));
    return createApiReference(texts, ecosystem, { grammars, now: steadyClock.now });
  },
} satisfies ReferenceCalls);
