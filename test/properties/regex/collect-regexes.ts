import { relative, resolve } from 'node:path';
import type { Node, SourceFile } from 'typescript/unstable/ast';
import { isNewExpression, isRegularExpressionLiteral } from 'typescript/unstable/ast/is';
import { API } from 'typescript/unstable/sync';

const ROOT = resolve(import.meta.dirname, '../../..');
const SRC = `${ROOT}/src/`;
const PROJECT = `${ROOT}/tsconfig.json`;

/** An expression and the file of src/ that holds it. */
export type FoundRegex = { file: string; regex: RegExp };

/** The regular expressions written in src/, and the files that build some with `new RegExp`. */
export function writtenRegexes(): { literals: FoundRegex[]; building: Set<string> } {
  const api = new API({ cwd: ROOT });
  try {
    const program = api.updateSnapshot({ openProject: PROJECT }).getProject(PROJECT)?.program;
    const literals: FoundRegex[] = [];
    const building = new Set<string>();
    for (const name of program?.getSourceFileNames() ?? []) {
      const source =
        name.startsWith(SRC) && !name.endsWith('.test.ts') ? program?.getSourceFile(name) : undefined;
      if (source === undefined) continue;
      const file = relative(SRC, name);
      for (const node of nodesOf(source)) {
        if (isRegularExpressionLiteral(node)) literals.push({ file, regex: fromLiteral(node.text) });
        if (isBuilding(node, source)) building.add(file);
      }
    }
    return { literals, building };
  } finally {
    api.close();
  }
}

function* nodesOf(source: SourceFile): Generator<Node> {
  const waiting: Node[] = [source];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    yield node;
    node.forEachChild((child) => void waiting.push(child));
  }
}

function isBuilding(node: Node, source: SourceFile): boolean {
  return isNewExpression(node) && node.expression.getText(source) === 'RegExp';
}

function fromLiteral(text: string): RegExp {
  const end = text.lastIndexOf('/');
  return new RegExp(text.slice(1, end), text.slice(end + 1));
}

/** The expressions that `work` builds with `new RegExp` in files of src/. */
export async function builtRegexes(work: () => Promise<unknown>): Promise<FoundRegex[]> {
  const found: FoundRegex[] = [];
  const real = globalThis.RegExp;
  globalThis.RegExp = new Proxy(real, {
    construct(target, args: ConstructorParameters<RegExpConstructor>) {
      const regex = new target(...args);
      const frame = new Error().stack?.split('\n').find((line) => line.includes(`${SRC}`));
      const file = frame === undefined ? null : /\/src\/([^:]+):/.exec(frame)?.[1];
      if (file != null) found.push({ file, regex });
      return regex;
    },
  });
  try {
    await work();
  } finally {
    globalThis.RegExp = real;
  }
  return found;
}
