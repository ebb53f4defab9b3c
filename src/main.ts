import { existsSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { ConfigError, readConfig } from './app/config.ts';

/** The server process: environment (and .env, if there is one) -> settings -> serve. */
async function main(): Promise<void> {
  try {
    // Halves the time of later starts: types need not be stripped and code not compiled again.
    enableCompileCache();
    if (existsSync('.env')) process.loadEnvFile('.env');
    const config = readConfig(process.env);
    const { serve } = await import('./app/serve.ts');
    await serve(config);
  } catch (error) {
    process.stderr.write(`${reasonOf(error)}\n`);
    process.exit(1);
  }
}

/** One line per setting for what the operator can fix; the stack for a defect. */
function reasonOf(error: unknown): string {
  if (error instanceof ConfigError)
    return error.message
      .split('\n')
      .map((line) => `Setting ${line}`)
      .join('\n');
  if (!(error instanceof Error)) return String(error);
  return 'syscall' in error ? `Sanderling cannot start: ${error.message}` : String(error.stack);
}

await main();
