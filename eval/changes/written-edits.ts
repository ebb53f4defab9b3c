/** An edit that an evaluation has made, with the texts by which it is recognised. */
export type WrittenEdit = { kind: EditKind; removed: string | null; added: string | null };
export type EditKind = 'word' | 'figure' | 'insert' | 'remove' | 'move' | 'item' | 'row' | 'code';

export type EditedPage = { before: string; after: string; edits: WrittenEdit[] };

/** A generator of numbers below a bound, the same on each run (mulberry32). */
export type Random = (below: number) => number;

export function createRandom(seed: number): Random {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296) * below);
  };
}

const SENTENCES = [
  'Since this release the service asks for a token before it answers.',
  'The limit applies to each account and not to each address.',
  'Removing the folder also removes every backup that lies in it.',
  'Without the option the older behaviour stays in force until spring.',
  'Whoever needs both may install them beside each other.',
];
const WORDS = ['quartz', 'harbour', 'seldom', 'violet', 'remote', 'thirteen', 'narrow', 'gently'];

/** Makes up to `count` edits on the blocks of a page, in different places; undefined where it has too few blocks. */
export function editPage(markdown: string, count: number, random: Random): EditedPage | null {
  const blocks = markdown.split(/\n{2,}/);
  const before = blocks.join('\n\n');
  const edits: WrittenEdit[] = [];
  const places = new Set<number>();
  const text = (place: number): string => blocks[place] ?? '';
  const fenced = new Set<number>();
  let fences = 0;
  for (const [place, block] of blocks.entries()) {
    const own = block.match(/^\s*```/gm)?.length ?? 0;
    if (fences % 2 === 1 || own % 2 === 1) fenced.add(place);
    fences += own;
  }
  const isProse = (place: number): boolean =>
    /^[A-Z].{60,}/.test(text(place)) && !text(place).includes('\n|');
  const take = (isFit: (place: number) => boolean): number | null => {
    const fit = [...blocks.keys()].filter(
      (place) => isFit(place) && !fenced.has(place) && ![-1, 0, 1].some((step) => places.has(place + step)),
    );
    const place = fit[random(fit.length)];
    if (place === undefined) return null;
    places.add(place);
    return place;
  };
  const kinds: EditKind[] = ['word', 'figure', 'insert', 'remove', 'move', 'item', 'row', 'code'];
  for (let tries = 0; edits.length < count && tries < count * 6; tries += 1) {
    const kind = kinds[random(kinds.length)] ?? 'word';
    const edit = makeEdit(kind);
    if (edit !== null) edits.push(edit);
  }
  const after = blocks.filter((block) => block !== '\0').join('\n\n');
  return edits.length === 0 ? null : { before, after, edits };

  function makeEdit(kind: EditKind): WrittenEdit | null {
    const word = WORDS[random(WORDS.length)] ?? '';
    switch (kind) {
      case 'word':
        return replaceIn(take(isProse), kind, /(?<= )[a-z]{4,12}(?= )/, word);
      case 'figure':
        return replaceIn(
          take((place) => isProse(place) && / \d{1,4} /.test(text(place))),
          kind,
          /(?<= )\d{1,4}(?= )/,
          '9071',
        );
      case 'insert': {
        const place = take(isProse);
        const sentence = SENTENCES[random(SENTENCES.length)] ?? '';
        if (place === null) return null;
        blocks[place] = `${text(place)}\n\n${sentence}`;
        return { kind, removed: null, added: sentence };
      }
      case 'remove': {
        const place = take(isProse);
        if (place === null) return null;
        const removed = text(place);
        blocks[place] = '\0';
        return { kind, removed, added: null };
      }
      case 'move': {
        const [from, to] = [take(isProse), take(isProse)];
        if (from === null || to === null) return null;
        const moved = text(from);
        blocks[from] = '\0';
        blocks[to] = `${text(to)}\n\n${moved}`;
        return { kind, removed: moved, added: moved };
      }
      case 'item':
        return replaceIn(
          take((place) => /^[-*] .+\n[-*] /.test(text(place))),
          kind,
          /\n[-*] /,
          `\n- The ${word} one comes first\n- `,
          `The ${word} one comes first`,
        );
      case 'row':
        return replaceIn(
          take((place) => /^\|.*\n\|[ :|-]+\n\|/.test(text(place))),
          kind,
          /(?<=\n\|[^\n]*\n\| ?)[\w][^|\n]*?(?= ?\|)/,
          word,
        );
      case 'code':
        return replaceIn(
          take((place) => /^```[^\n]*\n[\s\S]*[a-z]{4,}/.test(text(place))),
          kind,
          /(?<=\n[^\n]*)[a-z]{4,}/,
          word,
        );
    }
  }

  function replaceIn(
    place: number | null,
    kind: EditKind,
    what: RegExp,
    by: string,
    shown = by,
  ): WrittenEdit | null {
    if (place === null) return null;
    const found = what.exec(text(place))?.[0];
    if (found === undefined || found === by) return null;
    blocks[place] = text(place).replace(what, by);
    return { kind, removed: found, added: shown };
  }
}
