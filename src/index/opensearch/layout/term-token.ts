import { hashTerm } from '../../../text/words/hashed/hash-terms.ts';

/** Converts the hash of a term to its token in the cluster. SQLite uses the same hashes, so both engines conflate the same terms. */
export const toToken = (hash: number): string => hash.toString(36);

export const toTermToken = (term: string): string => toToken(hashTerm(term));
