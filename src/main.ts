import { existsSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { ConfigError, readConfig } from './app/config.ts';

/** The server process: environment (and .env where there is one) -> settings -> serve. */
async function main(): Promise<void> {
  try {
    // The second start need not strip types and compile again: it is up in half the time.
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

/** What the operator can mend is one line per setting; all else is a defect and shows where it is. */
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
