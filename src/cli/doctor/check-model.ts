import type { Config } from '../../app/config.ts';
import { createBreaker } from '../../platform/circuit-breaker.ts';
import { createDeadlineSignal, systemClock } from '../../platform/clock.ts';
import { createNamedFetch } from '../../platform/net/upstream-fetch.ts';
import { openStore } from '../../platform/store/open-store.ts';
import { createModelClient, ModelFailed, OWN_SCHEMA } from '../../writing/model-client.ts';
import { buildStatementsPrompt, STATEMENTS_SCHEMA } from '../../writing/prompts.ts';
import { readStatements } from '../../writing/replies.ts';
import { createTokenBudget } from '../../writing/token-budget.ts';
import { toFailure, toOk, toWarning, type Verdict } from '../check-result.ts';

const PROBE_TOKENS_MAX = 200;
/** A passage that any model can retell. */
const PASSAGE = { url: 'https://example.org/', title: 'Example', text: 'The lighthouse is 54 m tall.' };

/** Asks the operator's model one small question: whether it answers, how fast, in which JSON mode, and what was spent today. */
export async function checkModel({ writer: server, dnsServers, egress, dataDir }: Config): Promise<Verdict> {
  if (server === null) return { mark: 'off', text: 'nothing is written (MODEL_URL is not set)' };
  const { url, name, timeoutMs, tokensPerDay } = server;
  const limits = { timeoutMs, headersMs: timeoutMs, idleMs: timeoutMs, redirectsMax: 0 };
  const network = createNamedFetch({ dnsServers, egress, limits });
  const client = createModelClient({
    server,
    fetch: network.fetch,
    breaker: createBreaker(systemClock),
    now: systemClock.now,
  });
  const began = performance.now();
  try {
    const { text } = await client.ask({
      prompt: buildStatementsPrompt({ task: 'How tall is it?', instructions: null, passages: [PASSAGE] }),
      schema: { name: OWN_SCHEMA, schema: STATEMENTS_SCHEMA },
      replyTokensMax: PROBE_TOKENS_MAX,
      signal: createDeadlineSignal(timeoutMs),
    });
    const ms = Math.round(performance.now() - began);
    const spent = await readSpent(dataDir, tokensPerDay);
    const said = `${name} at ${url} answered in ${ms} ms, JSON mode ${client.jsonMode()}; ${spent}`;
    return readStatements(text) === null
      ? toWarning(`${said}; its reply was not in the form asked for`)
      : toOk(said);
  } catch (error) {
    if (!(error instanceof ModelFailed)) throw error;
    return toFailure(`${url}: ${error.message}; start it, or unset MODEL_URL`);
  } finally {
    await network.close();
  }
}

async function readSpent(dataDir: string, tokensPerDay: number): Promise<string> {
  const store = await openStore(dataDir);
  try {
    const { calls, tokens } = await createTokenBudget(store, systemClock, tokensPerDay).today();
    return `${calls} calls and ${tokens} of ${tokensPerDay} tokens today`;
  } finally {
    await store.destroy();
  }
}
