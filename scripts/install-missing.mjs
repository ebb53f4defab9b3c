// Runs before `npm start`, `npm test` and `npm run check`, on whatever Node the machine has: installs the locked dependencies
// where some are absent or of another version than the lock file says, and a Node that is new enough where the machine's is not.
// --runtime leaves development dependencies out. Further folders with a lock file of their own can be named.
import { existsSync } from 'node:fs';
import { ensureOwnNode, installMissing, isInstalled, linkNode, needsOwnNode } from '../bin/install.js';

const RUNTIME_ONLY = '--runtime';

const runtimeOnly = process.argv.includes(RUNTIME_ONLY);
const folders = process.argv.slice(2).filter((argument) => argument !== RUNTIME_ONLY);
const project = process.cwd();

try {
  process.exitCode = await installProject();
  for (const folder of folders) if (process.exitCode === 0) process.exitCode = await installMissing(folder);
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}

/** Resolves to npm's exit code. */
async function installProject() {
  const isComplete = isInstalled('.', runtimeOnly);
  const wantsNode = needsOwnNode(project) && !(isComplete && existsSync('node_modules/.bin/node'));
  // Both at once: each waits for the network most of the time.
  const [program, status] = await Promise.all([
    wantsNode ? ensureOwnNode() : undefined,
    isComplete ? 0 : installMissing('.', { runtimeOnly }),
  ]);
  // npm ci removes node_modules with the link.
  if (program !== undefined && status === 0) linkNode(project, program);
  return status;
}
