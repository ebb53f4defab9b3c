import { readFileSync } from 'node:fs';
import * as z from 'zod';
import type { OperatorRules } from '../pages/extract/content/rules/operator-rules.ts';
import { validateSelector } from '../pages/extract/selector.ts';
import { ConfigError } from './config.ts';

/** Maximum bytes of the file, and selectors of one list: each is run on every page of its site. */
const FILE_BYTES_MAX = 1_048_576;
const SELECTORS_MAX = 50;
const HOST = /^(?!www\.)[a-z0-9-]+(?:\.[a-z0-9-]+)*$/;

const selectors = z
  .array(
    z.string().transform((text, context) => {
      const selector = validateSelector(text);
      if (typeof selector === 'string') return selector;
      context.addIssue({ code: 'custom', message: `"${text}" ${selector.problem}` });
      return z.NEVER;
    }),
  )
  .max(SELECTORS_MAX, `must have at most ${SELECTORS_MAX} selectors`)
  .default([]);

const rules = z.record(
  z.string().regex(HOST, 'is not a host such as example.org, in lower case and without www.'),
  z.strictObject({ keep: selectors, drop: selectors, dataTables: selectors, layoutTables: selectors }),
);

/**
 * Reads the operator's rules for sites from a JSON file: `{"example.org": {"keep": ["main .intro"], "drop": [".promo"], "dataTables":
 * ["table.specs"], "layoutTables": ["#frame"]}}`. Throws ConfigError with every mistake. Without a file there are no rules.
 */
export function readOperatorRules({ extractRules }: { extractRules: string | null }): OperatorRules {
  if (extractRules === null) return new Map();
  const parsed = rules.safeParse(readJsonFile(extractRules));
  if (parsed.success) return new Map(Object.entries(parsed.data));
  const lines = parsed.error.issues.map((issue) => {
    const message = issue.code === 'invalid_key' ? issue.issues[0]?.message : issue.message;
    const place = issue.path.length === 0 ? '' : `${issue.path.join('.')}: `;
    return `EXTRACT_RULES: ${place}${message}`;
  });
  throw new ConfigError(lines.join('\n'));
}

function readJsonFile(path: string): unknown {
  let content: Buffer;
  try {
    content = readFileSync(path);
  } catch (cause) {
    throw new ConfigError(`EXTRACT_RULES: ${path} cannot be read`, { cause });
  }
  if (content.length > FILE_BYTES_MAX)
    throw new ConfigError(`EXTRACT_RULES: ${path} is larger than ${FILE_BYTES_MAX / 1_024} KB`);
  try {
    return JSON.parse(content.toString('utf8'));
  } catch (cause) {
    throw new ConfigError(`EXTRACT_RULES: ${path} is not JSON: ${String(cause)}`, { cause });
  }
}
