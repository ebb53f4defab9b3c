/** A model that `sanderling models install` knows: where it is published, and what its bytes must be. */
export type CataloguedModel = {
  name: string;
  about: string;
  licence: string;
  /** The setting that takes its name. */
  setting: 'EMBEDDING_MODEL' | 'RERANK_MODEL';
  /** Primary subtags; null: every language. */
  languages: readonly string[] | null;
  dimensions: number | null;
  /** A zip archive. */
  url: string;
  bytes: number;
  sha256: string;
  /** The files of the archive that are kept -> their names in the folder of the model. */
  parts: Readonly<Record<string, string>>;
};

/** Nothing is installed whose bytes have another SHA-256 than this list says. */
export const CATALOGUE: readonly CataloguedModel[] = [
  {
    name: 'wordllama-256',
    about: 'static, 16 MB: WordLlama 0.4.0, 32,000 tokens of 256 dimensions, English',
    licence: 'MIT; built of the token embeddings of Llama 2, whose own licence may bind you',
    setting: 'EMBEDDING_MODEL',
    languages: ['en'],
    dimensions: 256,
    url: 'https://files.pythonhosted.org/packages/8e/68/c449826f8b8ba8cea65f2efc05b049c155e00dd3f17b6454ffbd9ba6652a/wordllama-0.4.0.post1-cp311-cp311-manylinux2014_x86_64.manylinux_2_17_x86_64.whl',
    bytes: 19_155_170,
    sha256: '42c2c88907ace0b0681ac6f9092d6a300a6409a5d2d61071a3fb5e7159370c97',
    parts: {
      'wordllama/weights/l2_supercat_256.safetensors': 'model.safetensors',
      'wordllama/tokenizers/l2_supercat_tokenizer_config.json': 'tokenizer.json',
    },
  },
];
