const WIDTHS: [width: number, height: number][] = [
  [320, 640],
  [390, 844],
  [768, 1_024],
  [1_280, 800],
  [1_920, 1_080],
];

/** Every screen that pages are looked at on, in light and dark. */
export const LOOKS = WIDTHS.flatMap(([width, height]) =>
  (['light', 'dark'] as const).map((scheme) => ({ width, height, scheme })),
);
