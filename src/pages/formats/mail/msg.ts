import { createFetchFailure } from '../../../contract/errors.ts';
import type { Article } from '../../article.ts';
import { openCompoundFile } from './compound-file.ts';
import { letterArticle } from './letter.ts';

/** Property tags (MS-OXPROPS) that a message is read from. */
const TAGS = {
  subject: '0037',
  body: '1000',
  html: '1013',
  sender: '0C1A',
  senderAddress: '5D01',
  to: '0E04',
  cc: '0E03',
};
const ATTACHMENT = { longName: '3707', name: '3704', type: '370E', data: '3701' };
const PROPERTIES = '__properties_version1.0';
/** PidTagClientSubmitTime and PidTagMessageDeliveryTime, as times of 64 bits. */
const TIMES = [0x00390040, 0x0e060040];
const ATTACHMENTS_MAX = 500;

/** A message of Outlook (MS-OXMSG). Throws `fetch_failed` 'unsupported_type' for other compound files, such as old office files. */
export function readMsg(bytes: Uint8Array, url: string): Article {
  const file = openCompoundFile(bytes);
  // What an office program writes with a password is not a zip archive.
  if (file.names.includes('EncryptedPackage'))
    throw createFetchFailure('undecodable', 'the file is encrypted: it opens only with a password');
  if (file.bytes(PROPERTIES) === null)
    throw createFetchFailure(
      'unsupported_type',
      'the page is of a type that cannot be read: application/x-ole-storage',
    );
  const text = (tag: string, folder = ''): string => {
    const wide = file.bytes(`${folder}__substg1.0_${tag}001F`);
    if (wide !== null) return Buffer.from(wide).toString('utf16le');
    const narrow =
      file.bytes(`${folder}__substg1.0_${tag}001E`) ?? file.bytes(`${folder}__substg1.0_${tag}0102`);
    return narrow === null ? '' : new TextDecoder('windows-1252').decode(narrow);
  };
  const html = file.bytes(`__substg1.0_${TAGS.html}0102`);
  const [sender, address] = [text(TAGS.sender), text(TAGS.senderAddress)];
  const folders = new Set(
    file.names.flatMap((name) => /^__attach_version1\.0_#[0-9A-F]{8}\//.exec(name)?.[0] ?? []),
  );
  return letterArticle(
    {
      subject: text(TAGS.subject),
      from: address === '' || address === sender ? sender : `${sender} <${address}>`,
      to: text(TAGS.to),
      cc: text(TAGS.cc),
      date: sentAt(file.bytes(PROPERTIES) ?? new Uint8Array()),
      html: html === null ? text(TAGS.html) : new TextDecoder().decode(html),
      text: text(TAGS.body),
      attachments: [...folders].slice(0, ATTACHMENTS_MAX).map((folder) => ({
        name: text(ATTACHMENT.longName, folder) || text(ATTACHMENT.name, folder) || 'unnamed',
        type: text(ATTACHMENT.type, folder) || 'application/octet-stream',
        bytes: file.bytes(`${folder}__substg1.0_${ATTACHMENT.data}0102`)?.length ?? 0,
      })),
    },
    url,
    bytes.length,
  );
}

/** The time in the fixed properties: 32 bytes of header, then 16 for each. It counts 100 ns from 1601. */
function sentAt(properties: Uint8Array): string {
  const data = Buffer.from(properties);
  for (const tag of TIMES)
    for (let at = 32; at + 16 <= data.length; at += 16)
      if (data.readUInt32LE(at) === tag)
        return dayOf(Number(data.readBigUInt64LE(at + 8) / 10_000n) - 11_644_473_600_000);
  return '';
}

function dayOf(time: number): string {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? '' : date.toISOString();
}
