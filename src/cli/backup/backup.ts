/**
 * The commands `sanderling backup` and `sanderling restore`. A ledger in PostgreSQL is never copied: its own tools do that.
 * The copying itself is in `platform/store/backup`.
 */
import { resolve } from 'node:path';
import type { Config } from '../../app/config.ts';
import { BackupFailure, type Manifest, readManifest } from '../../platform/store/backup/manifest.ts';
import { finishRestore, matchesBackup, restoreBackup } from '../../platform/store/backup/restore-backup.ts';
import { writeBackup } from '../../platform/store/backup/write-backup.ts';
import { FileInUse } from '../../platform/store/open-sqlite.ts';
import { findInterruptedRestore } from '../../platform/store/open-store.ts';

type Place = Pick<Config, 'dataDir' | 'databaseUrl' | 'appSecret'>;

/** `sanderling backup`. Like `runRestore`, resolves to the exit code. */
export function runBackup(place: Place, to: string, options: { withoutLedger?: boolean }): Promise<number> {
  return explainFailures(async () => {
    const folder = resolve(to);
    const ledgerElsewhere = place.databaseUrl !== null;
    if (ledgerElsewhere && !options.withoutLedger)
      throw new BackupFailure(
        `The ledger is in PostgreSQL (DATABASE_URL). Back it up first, with the tool of that server:\n  pg_dump --format=custom --file=books.dump "$DATABASE_URL"\nThen copy everything else: sanderling backup --without-ledger ${to}`,
      );
    if (!ledgerElsewhere && options.withoutLedger)
      throw new BackupFailure('--without-ledger is for a ledger in PostgreSQL, and DATABASE_URL is not set');
    const { files } = await writeBackup({
      dataDir: resolve(place.dataDir),
      folder,
      ledgerElsewhere,
      now: new Date(),
      onCopied: (name) => printNote(`copied ${name}`),
    });
    print(`Backed up ${files.length} files (${formatMegabytes(files)} MB) to ${folder}`);
    if (place.appSecret !== null)
      printNote(
        'APP_SECRET is set, so it is not in the backup: keep it yourself, as it seals what the ledger holds.',
      );
    return 0;
  });
}

/** `sanderling restore`. */
export function runRestore(place: Place, from: string, options: { force?: boolean }): Promise<number> {
  return explainFailures(async () => {
    const folder = resolve(from);
    const dataDir = resolve(place.dataDir);
    const manifest = readManifest(folder);
    assertOneLedger(manifest, place);
    if (findInterruptedRestore(dataDir) !== null) {
      const replaced = finishRestore(dataDir);
      if (matchesBackup(dataDir, manifest)) return reportRestored({ manifest, dataDir, replaced });
      printNote('Finished the restore of another backup, which had been interrupted.');
    }
    const replace = options.force ?? false;
    const replaced = restoreBackup({ folder, manifest, dataDir, replace, now: new Date() });
    return reportRestored({ manifest, dataDir, replaced });
  });
}

function reportRestored(restored: { manifest: Manifest; dataDir: string; replaced: string | null }): number {
  const { manifest, dataDir, replaced } = restored;
  print(`Restored ${manifest.files.length} files of ${manifest.createdAt} to ${dataDir}`);
  if (replaced !== null)
    printNote(`What was there is in ${replaced}; delete it when you do not need it any more.`);
  if (manifest.ledger === 'postgresql')
    printNote(
      'Restore the ledger with pg_restore from the dump of the same time; then run sanderling doctor --ledger.',
    );
  else printNote('Run sanderling doctor --ledger before you start the server.');
  return 0;
}

/** Throws if the restore would leave one ledger in a file and another in PostgreSQL, each with a part of the credits. */
function assertOneLedger({ ledger }: Manifest, { databaseUrl }: Place): void {
  if (ledger === 'sqlite' && databaseUrl !== null)
    throw new BackupFailure(
      'The backup has a ledger of its own, but DATABASE_URL names a PostgreSQL with another one: unset DATABASE_URL to restore, or make a backup of this installation',
    );
  if (ledger === 'postgresql' && databaseUrl === null)
    throw new BackupFailure(
      'The ledger of this backup is in PostgreSQL: set DATABASE_URL first, or the server would begin a new ledger',
    );
}

async function explainFailures(work: () => Promise<number>): Promise<number> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof BackupFailure || error instanceof FileInUse)) throw error;
    printNote(error.message);
    return 1;
  }
}

function formatMegabytes(files: Manifest['files']): string {
  return (files.reduce((sum, { bytes }) => sum + bytes, 0) / 1e6).toFixed(1);
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

function printNote(text: string): void {
  process.stderr.write(`${text}\n`);
}
