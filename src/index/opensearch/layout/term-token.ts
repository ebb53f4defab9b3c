import { hashOf } from '../../../text/words/hashed/hash-of.ts';

/** A term as the cluster knows it: by its hash, as a file does, so that both engines take the same terms for one. */
export const tokenOf = (hash: number): string => hash.toString(36);

export const tokenOfTerm = (term: string): string => tokenOf(hashOf(term));
