import { steadyClock } from '../../platform/clock.ts';
import { serveCalls } from '../../platform/threads/serve-calls.ts';
import { type ApiEcosystem, createApiReference, GRAMMARS } from './api-reference.ts';
import { openGrammars } from './open-grammars.ts';
import type { ReferencePage } from './reference-page.ts';
import type { SkippedFile } from './source-reader.ts';

/** The files of a package that its reference is made from. */
export type PackageSources = {
  ecosystem: ApiEcosystem;
  files: readonly { path: string; bytes: Uint8Array }[];
};

/** Without the items of each page, which can be as long as its text. */
export type PackageReference = { pages: Omit<ReferencePage, 'items'>[]; skipped: SkippedFile[] };

/** Calls that the thread serves. */
export type ReferenceCalls = { createReference(sources: PackageSources): Promise<PackageReference> };

serveCalls({
  async createReference({ ecosystem, files }) {
    const grammars = await openGrammars(GRAMMARS[ecosystem]);
    const decoder = new TextDecoder();
    const texts = new Map(files.map(({ path, bytes }) => [path, decoder.decode(bytes)]));
    const { pages, skipped } = createApiReference(texts, ecosystem, { grammars, now: steadyClock.now });
    return { pages: pages.map(({ items: _items, ...page }) => page), skipped };
  },
} satisfies ReferenceCalls);
