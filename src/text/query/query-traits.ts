/** The kinds of topic that the words and signs of a query suggest; each trait is from 0 (no) to 1 (clearly). */
export type QueryTraits = { code: number; paper: number; entity: number; news: number; words: string[] };

/** A sign in a query and the probability of the trait given that sign alone. */
type Sign = { pattern: RegExp; weight: number };

const WORDS_MAX = 64;
const QUERY_CHARS_MAX = 2_000;

const joinAlternatives = (text: string): string => text.trim().split(/\s+/).join('|');
const buildAnyOfPattern = (text: string, flags = 'iu'): RegExp =>
  new RegExp(`(?<![\\p{L}\\p{N}])(?:${joinAlternatives(text)})(?![\\p{L}\\p{N}])`, flags);

const CODE: Sign[] = [
  {
    pattern:
      buildAnyOfPattern(`python python3 javascript typescript golang rust kotlin scala haskell elixir erlang clojure perl php
      ruby lua bash zsh powershell sql mysql postgres postgresql sqlite mongodb redis docker dockerfile kubernetes kubectl
      nginx webpack vite eslint npm npx yarn pnpm pip conda cargo maven gradle cmake makefile git github gitlab django
      flask fastapi rails laravel nodejs node\\.js deno react vue angular svelte nextjs next\\.js jquery numpy pandas
      pytorch tensorflow regex regexp json yaml toml xml html css http https cors oauth jwt graphql grpc websocket ssh
      tls linux ubuntu debian systemd cron ffmpeg terraform ansible c\\+\\+ c# \\.net dotnet golang asyncio kafka
      rabbitmq sqlalchemy hibernate jvm glibc gcc clang llvm webassembly wasm arduino esp32 raspberry`),
    weight: 0.6,
  },
  {
    pattern:
      buildAnyOfPattern(`api sdk cli compiler compile compiles compiling runtime stacktrace traceback segfault exception
      exceptions nullpointerexception undefined nan async await mutex deadlock goroutine iterator coroutine
      callback closure decorator middleware dataframe struct enum boolean int malloc stdin stdout stderr localhost
      dependency dependencies refactor debug debugger linter unittest mock changelog codebase repo boilerplate webhook
      endpoint backend frontend devops serverless microservice microservices orm mutable immutable hashmap
      serialization deserialize serialize concurrency multithreading polymorphism`),
    weight: 0.45,
  },
  {
    pattern:
      buildAnyOfPattern(`library libraries framework package module function functions method class array string list
      dictionary dict tuple loop variable pointer object query database table column index schema server client thread
      process parse parser parsing import install installation deploy build script code coding programming program
      algorithm config configuration plugin template error errors warning log logs logging rotate cache test tests`),
    weight: 0.2,
  },
  { pattern: buildAnyOfPattern('java swift go r c', 'u'), weight: 0.25 },
  {
    pattern:
      /(?<!\p{L})(?!arXiv)\p{Ll}{2,}\p{Lu}\p{Ll}|\b\w+_\w+|\w::\w|\w\(\)|=>|->|[{};]|<\/?[a-z]+>|\$\w|\bE[A-Z]{4,}\b/u,
    weight: 0.5,
  },
  {
    pattern:
      /(?:^|\s)--?[a-z][\w-]+|\b[\w-]+\.(?:js|ts|py|rs|go|c|h|cpp|java|rb|php|sh|ya?ml|json|toml|sql|css|html)\b/iu,
    weight: 0.5,
  },
  {
    pattern: /\b[a-z]+\.[a-z]+(?:\.[a-z]+)*\(|\b(?:std|os|np|pd|fs|self|this|console)\.[a-z_]+/iu,
    weight: 0.6,
  },
  {
    pattern:
      /\b\w*(?:error|exception)\b:|cannot (?:find|read|import|resolve)|no such file|not (?:defined|recognized)|permission denied/iu,
    weight: 0.5,
  },
  { pattern: /\bSELECT\b.*\bFROM\b|\b(?:INSERT INTO|CREATE TABLE|ALTER TABLE|GROUP BY)\b/u, weight: 0.7 },
];

const PAPER: Sign[] = [
  {
    pattern: /\b10\.\d{4,9}\/\S+|\barxiv[:\s./]|\b\d{4}\.\d{4,5}(?:v\d+)?\b|\bdoi\b|\bpmid\b/iu,
    weight: 0.9,
  },
  {
    pattern:
      /\bet al\b|meta-?analys[ie]s|systematic review|literature review|randomi[sz]ed (?:controlled )?trial|peer[- ]reviewed|double[- ]blind/iu,
    weight: 0.8,
  },
  {
    pattern:
      buildAnyOfPattern(`paper papers preprint preprints journal citation citations bibliography abstract dissertation thesis
      theorem lemma conjecture proof hypothesis scholar scholarly`),
    weight: 0.5,
  },
  {
    pattern:
      buildAnyOfPattern(`study studies research findings evidence cohort epidemiology pathogenesis biomarker biomarkers genome
      genomic protein proteins enzyme receptor tumor tumour carcinoma crispr rna dna mrna placebo efficacy clinical
      in-vitro mice randomized pharmacokinetics quantum superconductivity superconductor neutrino boson galaxy
      galaxies spectroscopy nanoparticles polymer catalysis photovoltaic transformer transformers attention
      convolutional embeddings reinforcement bayesian stochastic convergence entropy lattice topology manifold
      econometric longitudinal correlation causal`),
    weight: 0.4,
  },
  {
    pattern:
      /\b(?:effects?|impact|influence|role|association) (?:of|between)\b|\bstate[- ]of[- ]the[- ]art\b|\bsurvey of\b/iu,
    weight: 0.4,
  },
  {
    pattern: /\(\s*(?:19|20)\d{2}[a-z]?\s*\)|\p{Lu}\p{Ll}+ (?:and|&) \p{Lu}\p{Ll}+,? (?:19|20)\d{2}/u,
    weight: 0.5,
  },
];

const ENTITY: Sign[] = [
  {
    pattern:
      /^(?:who|whose|whom)\b|^(?:when|where) (?:was|is|were|did)\b|^what (?:is|are|was|were) (?:the |an? )?[\p{L}\p{N}' -]{2,40}\??$/iu,
    weight: 0.5,
  },
  {
    pattern:
      /\b(?:capital|population|president|founder|ceo|author|director|inventor|birthplace|birthday|spouse|height|area|currency|flag|mayor) of\b|\b(?:born|died|founded|invented)\b|\bbiography\b|\bhistory of\b|\bdefinition\b|\bmeaning of\b/iu,
    weight: 0.5,
  },
  {
    pattern: /(?<=\S\s)\p{Lu}[\p{Ll}'’]/u,
    weight: 0.45,
  },
  {
    pattern:
      /^\p{Lu}[\p{Ll}'’.]+(?:[\s-]+(?:(?:of|the|de|van|von|la|and)\s+)?[\p{Lu}\d][\p{L}\d'’.]*){0,4}$/u,
    weight: 0.6,
  },
  { pattern: /^[\p{L}\p{N}'’-]{1,60}(?: [\p{L}\p{N}'’-]{1,60}){0,2}$/u, weight: 0.35 },
  { pattern: /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]{2,}/u, weight: 0.3 },
];

const NEWS: Sign[] = [
  {
    pattern:
      buildAnyOfPattern(`news headlines breaking latest today tonight yesterday newest nowadays currently announces announced
      announcement unveils launches rumor rumors outage layoffs acquires acquisition merger lawsuit ipo earnings`),
    weight: 0.55,
  },
  {
    pattern:
      /\b(?:this|last|past) (?:week|month|year)\b|\bright now\b|\bso far\b|\bup to date\b|\bjust (?:released|announced)\b/iu,
    weight: 0.5,
  },
  {
    pattern:
      buildAnyOfPattern(`election elections vote parliament congress senate minister war ceasefire strike protest hurricane
      earthquake wildfire inflation stock stocks shares market tariff tariffs sanctions championship olympics final score
      transfer update updates release released price prices ruling verdict`),
    weight: 0.3,
  },
  { pattern: /\b20(?:2[4-9]|3\d)\b/u, weight: 0.3 },
];

/** Detects the traits of a query. Signs combine like independent probabilities. */
export function detectQueryTraits(query: string): QueryTraits {
  const text = query.slice(0, QUERY_CHARS_MAX).replace(/\s+/g, ' ').trim();
  const code = computeStrength(text, CODE);
  const paper = computeStrength(text, PAPER);
  return {
    code,
    paper,
    entity: computeStrength(text, ENTITY) * (1 - 0.6 * code),
    news: computeStrength(text, NEWS) * (1 - 0.5 * paper),
    words: (text.toLowerCase().match(/[\p{L}\p{N}][\p{L}\p{N}.+#-]*/gu) ?? []).slice(0, WORDS_MAX),
  };
}

function computeStrength(text: string, signs: readonly Sign[]): number {
  const miss = signs.reduce((left, { pattern, weight }) => left * (pattern.test(text) ? 1 - weight : 1), 1);
  return Math.round((1 - miss) * 1_000) / 1_000;
}
