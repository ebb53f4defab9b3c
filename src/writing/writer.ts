/**
 * Writes texts from passages with the operator's own model, and proves each statement before anybody sees it. It bounds the time, the
 * tokens and the calls; what fails the check is left out after one retry. It promises no answer: a model that is away, late or wrong gives
 * a reason instead, and the caller of this module goes on with quotations.
 */
import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { Failure } from '../contract/errors.ts';
import { type Breaker, createBreaker } from '../platform/circuit-breaker.ts';
import { type Clock, runWithTimeout } from '../platform/clock.ts';
import { createFairQueue, type Tenant } from '../platform/fairness/fair-queue.ts';
import type { GuardedFetch } from '../platform/net/fetch-types.ts';
import { isContradiction } from '../text/proof/judge-statements.ts';
import {
  type ProvedStatement,
  type SourcePassage,
  STATEMENTS_MAX,
  type WrittenStatement,
} from '../text/proof/prove-statements.ts';
import { dropFields, fitValue } from './fit-value.ts';
import {
  createModelClient,
  guessTokens,
  type JsonMode,
  ModelFailed,
  type ModelProblem,
  type ModelServer,
  OWN_SCHEMA,
  type Prompt,
  type Turn,
} from './model-client.ts';
import {
  buildFieldsPrompt,
  buildFieldsSchema,
  buildStatementsPrompt,
  buildVerdictsPrompt,
  formatRemark,
  removeInstructions,
  STATEMENTS_SCHEMA,
  VERDICTS_SCHEMA,
} from './prompts.ts';
import type { ProveWorker } from './prove-worker.ts';
import { createStatementReader, readFields, readStatements, readVerdicts } from './replies.ts';
import type { ModelDay, TokenBudget } from './token-budget.ts';

/** Whether statements that failed the check are left out, or kept with a mark. */
export type Grounding = 'strict' | 'marked';

export type WriteRequest = {
  /** What to write, such as a question to answer. */
  task: string;
  /** Wishes of the caller about language and style; null: none. */
  instructions: string | null;
  /** The best first; those that do not fit into the context of the model are left out. */
  passages: readonly SourcePassage[];
  grounding: Grounding;
  signal: AbortSignal;
  tenant?: Tenant | undefined;
  /** False: the text must not be kept for others. */
  keep?: boolean | undefined;
  /** Receives each statement of prose as soon as it is proved; not those of a cached text. */
  onClaim?: ((claim: WrittenClaim, passages: readonly SourcePassage[]) => void) | undefined;
};

/** A statement with the quotations that it stands on; unproved ones have none. `passage` is an index. */
export type WrittenClaim = {
  text: string;
  isProved: boolean;
  quotes: { passage: number; quote: string; start: number; end: number }[];
};

/**
 * `dropped`: statements that failed the check and were left out, or marked; `passages`: those that the model was given, which the quotations
 * refer to. `isWhole` is false if the model broke off, and the claims are those that were proved before.
 */
export type WrittenText = {
  claims: WrittenClaim[];
  dropped: number;
  isWhole: boolean;
  passages: readonly SourcePassage[];
};

/** A value by the caller's schema. `unproved`: its fields that became null, or with `marked` were kept, and why. */
export type WrittenFields = {
  value: unknown;
  proofs: { path: string; quotes: WrittenClaim['quotes'] }[];
  unproved: { path: string; reason: string }[];
  passages: readonly SourcePassage[];
};

/** A statement of the caller's about which the passages say something, by the model's choice and by the rules. */
type JudgedClaim = {
  /** The index of the statement. */
  statement: number;
  verdict: 'supported' | 'contradicted';
  quote: WrittenClaim['quotes'][number];
  problems: ProvedStatement['problems'];
};

/** Why nothing was written; `spent`: the tokens of the day are used up. */
export type WritingProblem = ModelProblem | 'spent';
export type WritingOutcome<Text> = ({ ok: true } & Text) | { ok: false; problem: WritingProblem };

/** What the operator sees of the model. */
export type WriterState = {
  name: string;
  url: string;
  /** Open while a failing model is left alone. */
  breaker: ReturnType<Breaker['state']>;
  jsonMode: JsonMode;
  today: ModelDay;
  tokensPerDay: number;
  /** Milliseconds of the last call that was answered; null: none yet. */
  lastMs: number | null;
};

export type Writer = {
  /** Time limit of one text. */
  timeoutMs: number;
  writeStatements(request: WriteRequest): Promise<WritingOutcome<WrittenText>>;
  writeFields(
    request: WriteRequest & { schema: Record<string, unknown> },
  ): Promise<WritingOutcome<WrittenFields>>;
  /** Finds quotations that support or contradict statements of others; those about which nothing is found are left out. */
  judgeClaims(
    request: Pick<WriteRequest, 'passages' | 'signal' | 'tenant' | 'keep'> & {
      statements: readonly string[];
    },
  ): Promise<WritingOutcome<{ judged: JudgedClaim[]; passages: readonly SourcePassage[] }>>;
  state(): Promise<WriterState>;
  /** Drops all cached texts. */
  forget(): void;
};

type WriterDeps = {
  server: ModelServer & {
    timeoutMs: number;
    contextTokens: number;
    callsAtOnce: number;
    tokensPerDay: number;
  };
  fetch: GuardedFetch;
  prove: ProveWorker;
  budget: TokenBudget;
  clock: Clock;
};

const CHARS_PER_TOKEN = 3;
/** Tokens of the rules, the form and the marks around passages. */
const PROMPT_TOKENS = 700;
const REPLY_TOKENS = { min: 512, max: 2_048 };
const CACHE_CHARS_MAX = 16_777_216;
const CACHED_MS = 3_600_000;
/** Calls that may wait for each that runs. */
const WAITING_PER_SLOT = 8;
const FAILURES_NAMED_MAX = 12;
const FAILURE_CHARS_MAX = 300;

export function createWriter({ server, fetch, prove, budget, clock }: WriterDeps): Writer {
  const { timeoutMs, contextTokens, callsAtOnce, tokensPerDay, name, url } = server;
  const breaker = createBreaker(clock);
  const client = createModelClient({ server, fetch, breaker, now: clock.now });
  const turns = createFairQueue({
    slots: callsAtOnce,
    waitingMax: callsAtOnce * WAITING_PER_SLOT,
    overloaded: () => new ModelFailed('busy', 'too many texts wait for the model'),
  });
  const cache = new LRUCache<string, object>({
    maxSize: CACHE_CHARS_MAX,
    sizeCalculation: (kept) => JSON.stringify(kept).length + 200,
    ttl: CACHED_MS,
  });
  const replyTokensMax = Math.min(
    REPLY_TOKENS.max,
    Math.max(REPLY_TOKENS.min, Math.floor(contextTokens / 4)),
  );
  let lastMs: number | null = null;

  const askOnce = async (
    prompt: Prompt,
    {
      schema,
      signal,
      tenant,
      onText,
    }: {
      schema: { name: string; schema: Record<string, unknown> };
      onText?: ((text: string) => void) | undefined;
    } & Pick<WriteRequest, 'signal' | 'tenant'>,
  ): Promise<string> => {
    if (!(await budget.hasRoom())) throw new Spent();
    let arrivedChars = 0;
    const count = (text: string): void => {
      arrivedChars += text.length;
      onText?.(text);
    };
    return turns.run({ tenant, signal }, async () => {
      const began = performance.now();
      const stream = onText === undefined ? {} : { onText: count };
      const reply = await client
        .ask({ prompt, schema, replyTokensMax, signal, ...stream })
        .catch(async (error: unknown) => {
          // What a stream brought before it broke off was spent.
          if (arrivedChars > 0) await budget.record(guessTokens(prompt, arrivedChars));
          throw error;
        });
      lastMs = Math.round(performance.now() - began);
      await budget.record(reply.tokens);
      return reply.text;
    });
  };

  /** Runs the work within the time of a text, and turns what the model did wrong into a reason. */
  const runBounded = async <Text extends object>(
    kind: string,
    request: WriteRequest & { schema?: Record<string, unknown> },
    work: (fitting: WriteRequest) => Promise<Text>,
  ): Promise<WritingOutcome<Text & { passages: readonly SourcePassage[] }>> => {
    const passages = fitPassages(request, contextTokens - replyTokensMax - PROMPT_TOKENS);
    const key = hashRequest([
      kind,
      name,
      request.task,
      request.instructions,
      request.grounding,
      request.schema,
      passages,
    ]);
    // The cast is safe: the kind is part of the key.
    const kept = cache.get(key) as Text | undefined;
    if (kept !== undefined) return { ok: true, ...kept, passages };
    if (passages.length === 0) return { ok: false, problem: 'failed' };
    try {
      const text = await runWithTimeout({ signal: request.signal, ms: timeoutMs }, (signal) =>
        work({ ...request, passages, signal }),
      );
      const isWhole = !('isWhole' in text) || text.isWhole === true;
      if (request.keep !== false && isWhole) cache.set(key, text);
      return { ok: true, ...text, passages };
    } catch (error) {
      if (request.signal.aborted) throw error;
      return { ok: false, problem: toProblem(error) };
    }
  };

  return {
    timeoutMs,
    writeStatements: (request) =>
      runBounded(
        'statements',
        request,
        async ({ passages, grounding, task, instructions, onClaim, ...call }) => {
          const prompt = buildStatementsPrompt({ task, instructions, passages });
          const asked = { schema: { name: OWN_SCHEMA, schema: STATEMENTS_SCHEMA }, ...call };
          const told = new Set<string>();
          const judge = async (statements: readonly WrittenStatement[]): Promise<ProvedStatement[]> => {
            const judged = statements.length === 0 ? [] : await prove.statements(statements, passages, call);
            for (const one of judged.filter((each) => !isUnproved(each) && !told.has(each.text))) {
              told.add(one.text);
              onClaim?.(toClaim(one), passages);
            }
            return judged;
          };
          const ask = (earlier: Turn[]): Promise<JudgedReply> =>
            judgeReply({
              judge,
              ask: (onText) => askOnce({ ...prompt, earlier }, { ...asked, onText: onClaim && onText }),
              signal: request.signal,
            });
          const first = await ask([]);
          if (first.failure !== null) {
            if (told.size === 0) throw first.failure;
            return { ...collectClaims(first.judged ?? [], [], grounding), isWhole: false };
          }
          const failed = first.judged?.filter(isUnproved) ?? null;
          if (failed?.length === 0)
            return { ...collectClaims(first.judged ?? [], [], grounding), isWhole: true };
          const remark = formatRemark(describeFailures(failed));
          const second = await ask([{ reply: first.reply, remark }]);
          // What passed is worth having without the retry.
          if (first.judged === null && told.size === 0 && second.failure !== null) throw second.failure;
          if (first.judged === null && second.judged === null)
            throw new ModelFailed('failed', 'the model did not reply in the form asked for');
          return {
            ...collectClaims(first.judged ?? [], second.judged ?? [], grounding),
            isWhole: first.judged !== null || second.failure === null,
          };
        },
      ),
    writeFields: (request) =>
      runBounded('fields', request, async ({ passages, grounding, task, instructions, ...call }) => {
        const { schema } = request;
        const prompt = buildFieldsPrompt({ task, instructions, passages }, schema);
        const asked = { schema: { name: 'fields', schema: buildFieldsSchema(schema) }, ...call };
        const judge = async (reply: string): Promise<Omit<WrittenFields, 'passages'> | null> => {
          const read = readFields(reply);
          if (read === null) return null;
          const { value, fields, misfits } = fitValue(read.value, schema);
          const proved = await prove.fields({ fields, support: read.support }, passages, call);
          const unproved = proved.flatMap(({ path, problems: [problem] }) =>
            problem === undefined ? [] : [{ path, reason: describeProblem(problem) }],
          );
          const checked = new Set(proved.map(({ path }) => path));
          const unchecked = fields
            .filter(({ path }) => !checked.has(path))
            .map(({ path }) => ({ path, reason: 'is one field too many to check' }));
          const dropped = [...unproved, ...unchecked];
          const kept =
            grounding === 'marked' ? value : dropFields(value, new Set(dropped.map(({ path }) => path)));
          return {
            value: kept,
            proofs: proved
              .filter(({ problems }) => problems.length === 0)
              .map(({ path, quotes }) => ({ path, quotes })),
            unproved: [...dropped, ...misfits],
          };
        };
        const reply = await askOnce(prompt, asked);
        const first = await judge(reply);
        if (first !== null && first.unproved.length === 0) return first;
        const failures = first?.unproved.map(({ path, reason }) => ({ text: path, why: reason })) ?? [];
        const remark = `${formatRemark(failures.length === 0 ? [NOT_IN_FORM] : failures)} Repeat the whole value.`;
        const second = await askOnce({ ...prompt, earlier: [{ reply, remark }] }, asked).then(
          judge,
          (error: unknown) => {
            if (first === null || request.signal.aborted) throw error;
            return null;
          },
        );
        const better =
          second !== null && second.proofs.length >= (first?.proofs.length ?? 0) ? second : first;
        if (better === null) throw new ModelFailed('failed', 'the model did not reply in the form asked for');
        return better;
      }),
    judgeClaims: ({ statements, ...request }) =>
      runBounded(
        'verdicts',
        {
          ...request,
          task: statements.map((text, place) => `${place + 1}. ${text}`).join('\n'),
          instructions: null,
          grounding: 'strict',
        },
        async ({ task, passages, ...call }) => {
          const schema = { name: OWN_SCHEMA, schema: VERDICTS_SCHEMA };
          const reply = await askOnce(buildVerdictsPrompt({ task, passages }), { schema, ...call });
          const verdicts = readVerdicts(reply)?.filter(
            ({ statement }) => statements[statement - 1] !== undefined,
          );
          if (verdicts === undefined)
            throw new ModelFailed('failed', 'the model did not reply in the form asked for');
          const written = verdicts.map(({ statement, support }) => ({
            text: statements[statement - 1] ?? '',
            support,
          }));
          const proved = written.length === 0 ? [] : await prove.statements(written, passages, call);
          const judged = proved.flatMap(({ quotes: [quote], problems }, place): JudgedClaim[] => {
            const { statement = 0, verdict = null } = verdicts[place] ?? {};
            // The model chooses the words, and the rules must come to the same verdict.
            const byRules =
              problems.length === 0 ? 'supported' : isContradiction(problems) ? 'contradicted' : null;
            if (quote === undefined || verdict === null || verdict !== byRules) return [];
            return [{ statement: statement - 1, verdict, quote, problems }];
          });
          return { judged };
        },
      ),
    async state() {
      return {
        name,
        url,
        breaker: breaker.state(),
        jsonMode: client.jsonMode(),
        today: await budget.today(),
        tokensPerDay,
        lastMs,
      };
    },
    forget: () => cache.clear(),
  };
}

/** A reply and its statements; `judged` null: it has not the form asked for. `failure`: why it broke off, or null. */
type JudgedReply = { reply: string; judged: ProvedStatement[] | null; failure: unknown };

/** Asks the model and judges its statements, those of a stream while it arrives. Throws only if the caller hangs up. */
async function judgeReply({
  ask,
  judge,
  signal,
}: {
  ask(onText: (text: string) => void): Promise<string>;
  judge(statements: readonly WrittenStatement[]): Promise<ProvedStatement[]>;
  signal: AbortSignal;
}): Promise<JudgedReply> {
  const reader = createStatementReader();
  const read: WrittenStatement[] = [];
  const judged: ProvedStatement[] = [];
  let judging = Promise.resolve();
  const judgeNext = (statements: readonly WrittenStatement[]): void => {
    if (statements.length === 0 || read.length + statements.length > STATEMENTS_MAX) return;
    read.push(...statements);
    judging = judging.then(async () => void judged.push(...(await judge(statements))));
    // It is awaited below, perhaps long after it failed.
    judging.catch(() => {});
  };
  try {
    const reply = await ask((text) => judgeNext(reader.read(text)));
    await judging;
    const listed = readStatements(reply);
    const others = listed?.filter(({ text }) => !read.some((one) => one.text === text)) ?? [];
    judged.push(...(await judge(others)));
    return { reply, judged: listed === null && judged.length === 0 ? null : judged, failure: null };
  } catch (failure) {
    if (signal.aborted) throw failure;
    await judging.catch(() => {});
    return { reply: '', judged, failure };
  }
}

/** The tokens of the day are used up. */
class Spent extends Error {}

function toProblem(error: unknown): WritingProblem {
  if (error instanceof Spent) return 'spent';
  if (error instanceof ModelFailed) return error.problem;
  if (error instanceof Failure && error.code === 'overloaded') return 'busy';
  if (error instanceof DOMException && error.name === 'TimeoutError') return 'late';
  throw error;
}

/** Takes as many passages as the context holds, in order, without what speaks to a model. */
function fitPassages({ passages, task, instructions }: WriteRequest, tokens: number): SourcePassage[] {
  let room = tokens * CHARS_PER_TOKEN - task.length - (instructions?.length ?? 0);
  const fitting: SourcePassage[] = [];
  for (const { url, title, text: written } of passages) {
    const text = removeInstructions(written).trim();
    if (text === '') continue;
    const size = text.length + title.length + url.length + 60;
    if (size > room) continue;
    room -= size;
    fitting.push({ url, title, text });
  }
  return fitting;
}

const hashRequest = (parts: readonly unknown[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('base64');

const isUnproved = ({ problems }: ProvedStatement): boolean => problems.length > 0;

const NOT_IN_FORM = { text: 'The reply', why: 'is not JSON in the form asked for' };

function describeFailures(failed: readonly ProvedStatement[] | null): { text: string; why: string }[] {
  if (failed === null) return [NOT_IN_FORM];
  return failed.slice(0, FAILURES_NAMED_MAX).map(({ text, problems: [problem] }) => ({
    text: text.slice(0, FAILURE_CHARS_MAX),
    why: problem === undefined ? '' : describeProblem(problem),
  }));
}

const REASONS: Record<ProvedStatement['problems'][number]['kind'], string> = {
  quotation: 'no quotation of it stands in its passage',
  number: 'this number is not in its quotations',
  unit: 'this unit is not in its quotations',
  date: 'this date is not in its quotations',
  name: 'this name is not in its quotations',
  address: 'this address is not in its quotations',
  negation: 'its quotations say the contrary',
  role: 'its quotations say it the other way round',
  words: 'its quotations do not speak of this',
};

function describeProblem({ kind, text }: ProvedStatement['problems'][number]): string {
  return text === '' ? REASONS[kind] : `${REASONS[kind]}: ${text.slice(0, FAILURE_CHARS_MAX)}`;
}

/** Joins what passed in both replies; with `marked`, what failed last follows. */
function collectClaims(
  first: readonly ProvedStatement[],
  second: readonly ProvedStatement[],
  grounding: Grounding,
): Pick<WrittenText, 'claims' | 'dropped'> {
  const proved = [...first, ...second].filter((one) => !isUnproved(one));
  const failedFirst = first.filter(isUnproved);
  const corrected = second.filter((one) => !isUnproved(one)).length;
  const failed = (second.length > 0 ? second : first).filter((one) => isUnproved(one) && one.text !== '');
  const kept = grounding === 'marked' ? [...proved, ...failed] : proved;
  const claims = kept.map(toClaim);
  return {
    claims: claims.filter(({ text }, place) => claims.findIndex((other) => other.text === text) === place),
    dropped: Math.max(failed.length, failedFirst.length - corrected),
  };
}

function toClaim(one: ProvedStatement): WrittenClaim {
  const isProved = !isUnproved(one);
  return { text: one.text, isProved, quotes: isProved ? one.quotes : [] };
}
