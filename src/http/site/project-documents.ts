import { readdirSync, readFileSync } from 'node:fs';

/** The address of one document, from which the others are resolved. */
const PRIVACY_FILE = new URL('../../../docs/privacy.md', import.meta.url);

/** Reads a document of docs/, such as `quality.md`, so that pages need not repeat what it says. */
export function readProjectDocument(path: string): string {
  return readFileSync(new URL(path, PRIVACY_FILE), 'utf8');
}

/** Lists the names of the documents in a folder of docs/, without their extension. */
export function listDocumentNames(folder: string): string[] {
  return readdirSync(new URL(folder, PRIVACY_FILE)).map((file) => file.replace(/\.md$/, ''));
}
