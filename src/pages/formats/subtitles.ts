import type { Article } from '../article.ts';
import { buildPlainArticle } from './plain-article.ts';

const TIME = /^(?:(\d+):)?(\d\d):(\d\d)[.,]\d{3}[ \t]+-->/;
/** A pause of this many seconds, or this many characters, starts a new paragraph. */
const PAUSE_SECONDS = 4;
const PARAGRAPH_CHARS = 600;

/** Reads subtitles (WebVTT, SubRip) as paragraphs, each with its start time; a line that cues repeat is written once. */
export function readSubtitles(text: string, url: string): Article {
  const paragraphs: { start: number; lines: string[]; chars: number }[] = [];
  let last = '';
  let end = 0;
  for (const block of text.replace(/\r\n?/g, '\n').split(/\n{2,}/)) {
    const lines = block.split('\n');
    const at = lines.findIndex((line) => TIME.test(line));
    if (at === -1) continue;
    const [from = 0, to = 0] = (lines[at] ?? '').split('-->').map(parseSeconds);
    for (const line of lines.slice(at + 1).map(stripCueTags)) {
      if (line === '' || line === last) continue;
      const open = paragraphs.at(-1);
      const isNew = open === undefined || from - end > PAUSE_SECONDS || open.chars > PARAGRAPH_CHARS;
      if (isNew) paragraphs.push({ start: from, lines: [line], chars: line.length });
      else {
        open.lines.push(line);
        open.chars += line.length;
      }
      last = line;
    }
    end = to;
  }
  const markdown = paragraphs
    .map(({ start, lines }) => `[${formatClock(start)}] ${lines.join(' ')}`)
    .join('\n\n');
  return buildPlainArticle(url, { kind: 'document', title: '', markdown, rawChars: text.length });
}

function parseSeconds(time: string): number {
  const parts = time.trim().split(/[\s]/)[0]?.split(/[:.,]/).map(Number) ?? [];
  const [seconds = 0, minutes = 0, hours = 0] = parts.slice(0, -1).reverse();
  return hours * 3_600 + minutes * 60 + seconds;
}

function formatClock(seconds: number): string {
  const [hours, minutes, rest] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, seconds % 60];
  const padTwo = (number: number): string => String(number).padStart(2, '0');
  return hours > 0 ? `${hours}:${padTwo(minutes)}:${padTwo(rest)}` : `${minutes}:${padTwo(rest)}`;
}

/** Strips the tags of voices, styles and karaoke from a line. */
const stripCueTags = (line: string): string =>
  line
    .replace(/<v(?:\.[^\s<>]*)?[ \t]([^<>]*)>/g, '$1: ')
    .replace(/<[^<>]*>|\{\\[^{}]*\}/g, '')
    .replace(/&(amp|lt|gt|nbsp);/g, (_all, name: string) => ({ amp: '&', lt: '<', gt: '>' })[name] ?? ' ')
    .trim();
