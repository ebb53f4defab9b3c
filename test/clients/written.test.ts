import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { FirecrawlClient } from '@mendable/firecrawl-js';
import Perplexity from '@perplexity-ai/perplexity_ai';
import { tavily } from '@tavily/core';
import { Exa } from 'exa-js';
import { Exa as OldExa } from 'exa-js-1';
import { LinkupClient } from 'linkup-sdk';
import OpenAI from 'openai';
import { FACT } from '../fixtures/model-server.ts';
import { openWrittenFixture, type WrittenClientFixture } from './written-fixture.ts';

/** What published clients ask of a model, with only the base address changed: answers, values by a schema, research, chat. */
let fixture: WrittenClientFixture;
before(async () => {
  fixture = await openWrittenFixture();
});
beforeEach(() => fixture.model.play('right'));
after(() => fixture.close());

const QUESTION = 'who opened the Corvane Light';
const WRITTEN = 'The Corvane Light was opened by Ada Merrick on May 3, 1871.';
const VALUE = { opened: '3 May 1871', metres: 54 };
const SCHEMA = {
  type: 'object',
  properties: { opened: { type: 'string' }, metres: { type: 'number' } },
  required: ['opened', 'metres'],
};

/** Runs a call with a key and returns its result and what it cost. */
async function spend<Result>(call: (key: string) => Promise<Result>): Promise<{ got: Result; used: number }> {
  const key = await fixture.key(1_000);
  const got = await call(key);
  return { got, used: 1_000 - (await fixture.left(key)) };
}

describe('exa-js', () => {
  for (const [name, Client] of [
    ['2.23.0', Exa],
    ['1.10.2', OldExa as unknown as typeof Exa],
  ] as const)
    describe(name, () => {
      const client = (key: string): Exa => new Client(key, fixture.served.address);

      test('answer', async () => {
        const { got, used } = await spend((key) => client(key).answer(QUESTION, { text: true }));
        assert.equal(got.answer, `${WRITTEN} [1]`);
        assert.equal(got.citations[0]?.url, fixture.light);
        assert.match(String((got.citations[0] as { text?: string }).text), /Corvane/);
        assert.equal(used, 5);
      });

      test('answer with a schema', async () => {
        const { got } = await spend((key) => client(key).answer(QUESTION, { outputSchema: SCHEMA }));
        assert.deepEqual(got.answer, VALUE);
      });

      test('streamAnswer', async () => {
        const { got } = await spend(async (key) => {
          const pieces: string[] = [];
          let cited = 0;
          for await (const { content, citations } of client(key).streamAnswer(QUESTION)) {
            pieces.push(content ?? '');
            cited += citations?.length ?? 0;
          }
          return { text: pieces.join(''), cited };
        });
        assert.equal(got.text, `${WRITTEN} [1]`);
        assert.ok(got.cited > 0);
      });

      test('a summary by a query and by a schema', async () => {
        const { got, used } = await spend((key) =>
          client(key).getContents([fixture.light], { summary: { query: QUESTION } }),
        );
        assert.equal((got.results[0] as { summary?: string }).summary, WRITTEN);
        assert.equal(used, 3);
        const { got: value } = await spend((key) =>
          client(key).getContents([fixture.light], { summary: { schema: SCHEMA } }),
        );
        assert.deepEqual(JSON.parse((value.results[0] as { summary?: string }).summary ?? ''), VALUE);
      });
    });
});

describe('@mendable/firecrawl-js', () => {
  const client = (apiKey: string): FirecrawlClient =>
    new FirecrawlClient({ apiKey, apiUrl: fixture.served.address });

  test('json by a schema, and a summary', async () => {
    const { got, used } = await spend((key) =>
      client(key).scrape(fixture.light, {
        formats: [{ type: 'json', schema: SCHEMA, prompt: 'When was it opened?' }, 'summary'],
      }),
    );
    assert.deepEqual(got.json, VALUE);
    assert.equal(got.summary, WRITTEN);
    assert.equal(used, 5);
  });

  test('a search with json of each page, and the tokens that are left', async () => {
    const { got, used } = await spend((key) =>
      client(key).search(QUESTION, {
        limit: 1,
        scrapeOptions: { formats: [{ type: 'json', schema: SCHEMA }] },
      }),
    );
    assert.deepEqual((got.web?.[0] as { json?: unknown } | undefined)?.json, VALUE);
    assert.equal(used, 4);
    const { got: tokens } = await spend((key) => client(key).getTokenUsage());
    assert.ok(tokens.remainingTokens < (tokens.planTokens ?? 0));
  });

  test('extract', async () => {
    const { got, used } = await spend((key) =>
      client(key).extract({ urls: [fixture.light], schema: SCHEMA, prompt: 'Read when it was opened.' }),
    );
    assert.equal(got.status, 'completed');
    assert.deepEqual(got.data, VALUE);
    assert.equal(used, 5);
  });
});

describe('@tavily/core', () => {
  const client = (apiKey: string) => tavily({ apiKey, apiBaseURL: fixture.secondShape });

  test('search with an advanced answer', async () => {
    const { got, used } = await spend((key) => client(key).search(QUESTION, { includeAnswer: 'advanced' }));
    assert.equal(got.answer, WRITTEN);
    assert.equal(used, 5);
  });

  test('research', async () => {
    const { got } = await spend(async (key) => {
      const started = await client(key).research(QUESTION, { model: 'mini' });
      return client(key).getResearch((started as { requestId: string }).requestId);
    });
    assert.equal(got.status, 'completed');
    assert.match(String((got as { content: unknown }).content), /by Ada Merrick on May 3, 1871\. \[1\]/);
    assert.equal((got as { sources: { url: string }[] }).sources[0]?.url, fixture.light);
  });
});

describe('chat completions with search', () => {
  const messages = [{ role: 'user' as const, content: QUESTION }];
  const baseURL = (): string => `${fixture.served.address}/pplx`;

  test('@perplexity-ai/perplexity_ai', async () => {
    const { got, used } = await spend((apiKey) =>
      new Perplexity({ apiKey, baseURL: baseURL() }).chat.completions.create({ model: 'sonar', messages }),
    );
    assert.equal(got.choices[0]?.message.content, `${WRITTEN} [1]`);
    assert.equal(got.citations?.[0], fixture.light);
    assert.equal(used, 5);
  });

  test('@perplexity-ai/perplexity_ai, streamed', async () => {
    const { got } = await spend(async (apiKey) => {
      const client = new Perplexity({ apiKey, baseURL: baseURL() });
      const stream = await client.chat.completions.create({ model: 'sonar', messages, stream: true });
      const pieces: unknown[] = [];
      for await (const { choices } of stream) pieces.push(choices[0]?.delta.content ?? '');
      return pieces.join('');
    });
    assert.equal(got, `${WRITTEN} [1]`);
  });

  const openai = (apiKey: string): OpenAI => new OpenAI({ apiKey, baseURL: baseURL(), maxRetries: 0 });

  test('openai', async () => {
    const { got } = await spend((key) => openai(key).chat.completions.create({ model: 'sonar', messages }));
    assert.equal(got.choices[0]?.message.content, `${WRITTEN} [1]`);
  });

  test('openai, by a schema', async () => {
    const response_format = {
      type: 'json_schema' as const,
      json_schema: { name: 'light', schema: SCHEMA },
    };
    const { got } = await spend((key) =>
      openai(key).chat.completions.create({ model: 'sonar', messages, response_format }),
    );
    assert.deepEqual(JSON.parse(got.choices[0]?.message.content ?? ''), VALUE);
  });

  test('openai, streamed', async () => {
    const { got } = await spend(async (key) => {
      const stream = await openai(key).chat.completions.create({ model: 'sonar', messages, stream: true });
      const pieces: string[] = [];
      for await (const { choices } of stream) pieces.push(choices[0]?.delta.content ?? '');
      return pieces.join('');
    });
    assert.equal(got, `${WRITTEN} [1]`);
  });
});

describe('linkup-sdk', () => {
  const client = (apiKey: string): LinkupClient =>
    new LinkupClient({ apiKey, baseUrl: `${fixture.served.address}/linkup/v1` });
  const search = { query: QUESTION, depth: 'standard' } as const;

  test('sourcedAnswer', async () => {
    const { got, used } = await spend((key) =>
      client(key).search({ ...search, outputType: 'sourcedAnswer' }),
    );
    assert.equal(got.answer, WRITTEN);
    assert.deepEqual(got.sources[0], {
      name: 'Corvane Light',
      url: fixture.light,
      favicon: `${fixture.site.origin}/favicon.ico`,
      snippet: FACT,
    });
    assert.equal(used, 5);
  });

  test('structured, alone and with its sources', async () => {
    const asked = { ...search, outputType: 'structured', structuredOutputSchema: SCHEMA } as const;
    const { got } = await spend((key) => client(key).search(asked));
    assert.deepEqual(got, VALUE);
    const { got: cited } = await spend((key) => client(key).search({ ...asked, includeSources: true }));
    assert.deepEqual((cited as { data: unknown }).data, VALUE);
  });
});

test('a model that fails costs no client its answer', async () => {
  fixture.model.play('500');
  const { got, used } = await spend((key) => new Exa(key, fixture.served.address).answer(`${QUESTION}?`));
  assert.ok(got.citations.length > 0);
  assert.ok(used <= 1);
});
