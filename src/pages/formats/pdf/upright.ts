/** Rotates a point back by quarter turns. */
export function rotateUpright(x: number, y: number, quarter: number): [x: number, y: number] {
  if (quarter === 1) return [y, -x];
  if (quarter === 2) return [-x, -y];
  return quarter === 3 ? [-y, x] : [x, y];
}
