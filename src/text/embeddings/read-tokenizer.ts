import { compatible } from '../words/compatible.ts';
import { bpeSplitter, createSentencePieces, unigramSplitter } from './sentence-pieces.ts';
import { createWordPiece, type Tokenize } from './word-piece.ts';

/** The vocabulary in the order of its ids, and how a text is split into ids. */
type ReadTokenizer = { tokens: string[]; tokenize: Tokenize };

const TOKENS_MAX = 500_000;
const SPACE = '▁';

/** What is read of a `tokenizer.json`. */
type TokenizerJson = {
  normalizer?: unknown;
  pre_tokenizer?: unknown;
  model?: {
    type?: string;
    unk_token?: string | null;
    unk_id?: number | null;
    vocab?: Record<string, number> | [string, number][];
    merges?: (string | [string, string])[];
  };
};

/**
 * Reads the `tokenizer.json` of the tokenizers library: WordPiece as in BERT uncased, and BPE and Unigram that mark spaces as
 * SentencePiece does. Special tokens in a text are text. Throws with one line for anything else.
 */
export function readTokenizer(json: string): ReadTokenizer {
  const tokenizer: TokenizerJson = JSON.parse(json);
  const { type, vocab } = tokenizer.model ?? {};
  if (vocab === undefined) throw new Error('tokenizer.json has no vocabulary');
  const tokens = tokensOf(vocab);
  if (tokens.length > TOKENS_MAX) throw new Error(`tokenizer.json has more than ${TOKENS_MAX} tokens`);
  const settings = JSON.stringify([tokenizer.normalizer, tokenizer.pre_tokenizer]);
  if (type === 'WordPiece' && settings.includes('"lowercase":true'))
    return {
      tokens,
      tokenize: createWordPiece({ ids: idsOf(tokens), unknown: unknownOf(tokenizer, tokens) }),
    };
  if (settings.includes(SPACE) && (type === 'BPE' || type === 'Unigram'))
    return { tokens, tokenize: sentencePieces(tokenizer, tokens) };
  throw new Error(
    `tokenizer.json is of a kind that is not read (${type ?? 'no type'}); WordPiece (uncased), BPE and Unigram with ${SPACE} are`,
  );
}

function sentencePieces(tokenizer: TokenizerJson, tokens: string[]): Tokenize {
  const { merges = [], vocab } = tokenizer.model ?? {};
  const unknown = unknownOf(tokenizer, tokens);
  if (Array.isArray(vocab)) {
    const scores = new Map(vocab.map(([token, score], id) => [token, { id, score }]));
    const tokenize = createSentencePieces(unigramSplitter({ scores, unknown }));
    return (text, max) => tokenize(compatible(text).trim().replace(/\s+/g, ' '), max);
  }
  const pairs = merges.map((merge) => (typeof merge === 'string' ? pairOf(merge) : merge));
  return createSentencePieces(bpeSplitter({ ids: idsOf(tokens), merges: pairs, unknown }));
}

function pairOf(merge: string): [string, string] {
  const space = merge.indexOf(' ');
  return [merge.slice(0, space), merge.slice(space + 1)];
}

function tokensOf(vocab: Record<string, number> | [string, number][]): string[] {
  if (Array.isArray(vocab)) return vocab.map(([token]) => token);
  const tokens: string[] = [];
  for (const [token, id] of Object.entries(vocab)) tokens[id] = token;
  return Array.from(tokens, (token) => token ?? '');
}

const idsOf = (tokens: readonly string[]): Map<string, number> =>
  new Map(tokens.map((token, id) => [token, id]));

function unknownOf({ model }: TokenizerJson, tokens: readonly string[]): number {
  return model?.unk_id ?? Math.max(0, tokens.indexOf(model?.unk_token ?? '[UNK]'));
}
