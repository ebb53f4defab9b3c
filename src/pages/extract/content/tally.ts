/** Counts of a text. A word is a run of letters and digits; two ideographs or kana count as one word. */
export type Tally = {
  /** Characters other than white space. */
  chars: number;
  words: number;
  linkWords: number;
  /** Texts within links. */
  links: number;
  commas: number;
  /** Sentence ends: . ! ? and their full-width forms. */
  stops: number;
  digits: number;
  capitals: number;
};

export function createTally(): Tally {
  return { chars: 0, words: 0, linkWords: 0, links: 0, commas: 0, stops: 0, digits: 0, capitals: 0 };
}

// Looked up once: texts are strings of many internal kinds (slices of the page, decoded, joined), for which looking up the method
// per character takes longer than the method.
const { charCodeAt } = String.prototype;

/** Adds one text to a tally, in one pass over its characters. */
export function tallyText(tally: Tally, text: string, inLink: boolean): void {
  let words = 0;
  let ideographs = 0;
  let chars = 0;
  let inWord = false;
  const { length } = text;
  for (let index = 0; index < length; index += 1) {
    const code = charCodeAt.call(text, index);
    // Fast path: most characters are lower-case letters.
    if (code >= 97 && code <= 122) {
      if (!inWord) words += 1;
      inWord = true;
      chars += 1;
      continue;
    }
    if (isIdeograph(code)) {
      ideographs += 1;
      chars += 1;
      inWord = false;
      continue;
    }
    const letter = isWordCode(code);
    if (letter && !inWord) words += 1;
    inWord = letter;
    if (code > 32 && code !== 0xa0) chars += 1;
    if (code >= 48 && code <= 57) tally.digits += 1;
    else if (code >= 65 && code <= 90) tally.capitals += 1;
    else if (code === 44 || code === 0xff0c || code === 0x3001 || code === 0x60c) tally.commas += 1;
    else if (
      code === 46 ||
      code === 33 ||
      code === 63 ||
      code === 0x3002 ||
      code === 0xff01 ||
      code === 0xff1f
    )
      tally.stops += 1;
  }
  words += Math.ceil(ideographs / 2);
  tally.chars += chars;
  tally.words += words;
  if (inLink) {
    tally.linkWords += words;
    tally.links += 1;
  }
}

function isWordCode(code: number): boolean {
  if (code < 128)
    return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57);
  return (
    code >= 0xc0 &&
    !(code >= 0x2000 && code <= 0x2bff) &&
    !(code >= 0x3000 && code <= 0x303f) &&
    code < 0xff00
  );
}

function isIdeograph(code: number): boolean {
  return (code >= 0x3040 && code <= 0x30ff) || (code >= 0x3400 && code <= 0x9fff);
}
