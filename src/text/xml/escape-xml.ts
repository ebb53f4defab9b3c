import { escapeUTF8 } from 'entities/escape';

/** Escapes text for XML 1.0 and removes the characters that XML cannot represent. */
export function escapeXml(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed
  return escapeUTF8(text.toWellFormed().replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, ''));
}
