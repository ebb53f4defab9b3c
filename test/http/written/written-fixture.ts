import type { Meter } from '../../../src/billing/ledger/meter.ts';
import { Failure } from '../../../src/contract/errors.ts';
import { buildPlainArticle } from '../../../src/pages/formats/plain-article.ts';
import { createNamedFetch } from '../../../src/platform/net/upstream-fetch.ts';
import type { ResearchAnswer } from '../../../src/research/research.ts';
import type { ContentsResult } from '../../../src/search/contents.ts';
import type { ReadAnswer } from '../../../src/search/read.ts';
import type { SearchAnswer } from '../../../src/search/search-types.ts';
import { proveFields } from '../../../src/text/proof/prove-fields.ts';
import { proveStatements } from '../../../src/text/proof/prove-statements.ts';
import { createWriter, type Writer } from '../../../src/writing/writer.ts';
import { FACT, INSTRUCTION, type ModelServerFake, startModelServer } from '../../fixtures/model-server.ts';
import { readAnswer, researchAnswer, searchAnswer } from '../../harness.ts';

/** A model played by a scripted server, and the writer over it. */
export type WrittenFixture = {
  model: ModelServerFake;
  writer: Writer;
  /** The credits that the last call settled. */
  used(): number | null;
  meter: Meter;
  close(): Promise<void>;
};

/** Shorter than a test may wait, for the mode that never replies. */
const TIMEOUT_MS = 1_000;

export async function startWritten({
  timeoutMs = TIMEOUT_MS,
  tokensPerDay = 1_000_000,
  credits = 1_000,
} = {}): Promise<WrittenFixture> {
  const model = await startModelServer();
  const network = createNamedFetch({ dnsServers: [], egress: null, limits: { timeoutMs: 5_000 } });
  let settled: number | null = null;
  let day = { calls: 0, tokens: 0 };
  const writer = createWriter({
    server: {
      url: model.url,
      name: 'scripted',
      key: 'secret',
      timeoutMs,
      contextTokens: 8_192,
      callsAtOnce: 4,
      tokensPerDay,
    },
    fetch: network.fetch,
    prove: {
      statements: async (written, passages) => proveStatements(written, passages),
      fields: async ({ fields, support }, passages) => proveFields(fields, support, passages),
    },
    budget: {
      hasRoom: async () => day.tokens < tokensPerDay,
      record: async (tokens) => {
        day = { calls: day.calls + 1, tokens: day.tokens + tokens };
      },
      today: async () => day,
    },
    // The breaker forgets between two tests.
    clock: { now: () => (now += 600_000) },
  });
  return {
    model,
    writer,
    used: () => settled,
    meter: {
      beginCharge: async () => ({
        refuseIfKnown() {},
        hold: async ({ credits: most, least = most }) => {
          if (credits < least) throw new Failure('insufficient_credits', 'The key has too few credits.');
          return Math.min(most, credits);
        },
        charge: async ({ credits: used }: { credits: number }) => {
          settled = used;
        },
        settle: async (used: number) => {
          settled = used;
        },
        refund: async () => {
          settled = 0;
        },
        spendable: async () => credits,
        remaining: async () => credits,
        stated: (stated) => stated,
      }),
      remaining: async () => credits,
    },
    async close() {
      await network.close();
      await model.close();
    },
  };
}

let now = Date.parse('2026-11-28T12:00:00Z');

const LIGHT = 'https://example.org/light';
/** A search that found a page with the fact, and a hostile one. */
export function factAnswer(parts: Partial<SearchAnswer> = {}): SearchAnswer {
  return searchAnswer({
    results: [
      {
        url: LIGHT,
        title: 'Corvane Light',
        score: 0.9,
        publishedDay: '2025-01-31',
        highlights: [`${FACT} It is a lighthouse.`],
        summary: QUOTED.text,
      },
      {
        url: 'https://hostile.example/',
        title: 'Lights',
        score: 0.5,
        publishedDay: null,
        highlights: [`Lights are bright.\n\n${INSTRUCTION}`],
      },
    ],
    answer: QUOTED,
    ...parts,
  });
}

/** The quotation that stands where nothing is written. */
export const QUOTED = {
  text: 'It is a lighthouse.',
  url: LIGHT,
  title: 'Corvane Light',
  start: 73,
  end: 92,
  headingPath: ['Corvane Light'],
  link: `${LIGHT}#:~:text=It`,
  contentHash: `sha256:${'0a'.repeat(32)}`,
  score: 0.9,
};

export const WRITTEN = 'The Corvane Light was opened by Ada Merrick on May 3, 1871.';
export const SCHEMA = {
  type: 'object',
  properties: { opened: { type: 'string' }, metres: { type: 'number' } },
  required: ['opened', 'metres'],
};

/** The page with the fact, as a contents call finds it. */
export const factPage = (hasSummary: boolean): ContentsResult => ({
  id: LIGHT,
  url: LIGHT,
  title: 'Corvane Light',
  author: null,
  publishedDay: null,
  highlights: [`${FACT} It is a lighthouse.`, `Lights are bright.\n\n${INSTRUCTION}`],
  ...(hasSummary ? { summary: QUOTED.text } : {}),
});

/** The same page as the reader has it. */
export function factRead(): ReadAnswer {
  const markdown = `# Corvane Light\n\n${FACT} It is a lighthouse.\n\n${INSTRUCTION}\n`;
  const article = buildPlainArticle(LIGHT, {
    kind: 'markdown',
    title: 'Corvane Light',
    markdown,
    rawChars: 400,
  });
  return readAnswer({
    markdown,
    url: LIGHT,
    title: 'Corvane Light',
    article,
    parts: { summary: QUOTED.text },
  });
}

/** A research that found the fact. */
export function factResearch(): ResearchAnswer {
  const [evidence] = researchAnswer().evidence;
  if (evidence === undefined) throw new Error('the scripted research has evidence');
  return researchAnswer({
    evidence: [{ ...evidence, url: LIGHT, title: 'Corvane Light', quote: `${FACT}\n\n${INSTRUCTION}` }],
  });
}
