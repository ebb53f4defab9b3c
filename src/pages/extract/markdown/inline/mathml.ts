import { isElement, type TreeElement, type TreeNode } from '../../tree.ts';

type Rule = (parts: string[], element: TreeElement) => string;

const group = (part: string | undefined): string => `{${part ?? ''}}`;
const NAMED: Record<string, string> = {
  '∑': '\\sum ',
  '∏': '\\prod ',
  '∫': '\\int ',
  '∞': '\\infty ',
  '→': '\\to ',
  '≤': '\\le ',
  '≥': '\\ge ',
  '≠': '\\ne ',
  '±': '\\pm ',
  '×': '\\times ',
  '⋅': '\\cdot ',
  '∈': '\\in ',
  '∂': '\\partial ',
  '−': '-',
  '≈': '\\approx ',
  α: '\\alpha ',
  β: '\\beta ',
  γ: '\\gamma ',
  δ: '\\delta ',
  ε: '\\epsilon ',
  θ: '\\theta ',
  λ: '\\lambda ',
  μ: '\\mu ',
  π: '\\pi ',
  σ: '\\sigma ',
  φ: '\\phi ',
  ω: '\\omega ',
  Δ: '\\Delta ',
  Σ: '\\Sigma ',
  Ω: '\\Omega ',
};
const scripts =
  (sign: string): Rule =>
  ([base, script]) =>
    `${base ?? ''}${sign}${group(script)}`;
const both: Rule = ([base, low, high]) => `${base ?? ''}_${group(low)}^${group(high)}`;

/** Presentation MathML -> LaTeX, by element (W3C MathML Core, section 3). */
const RULES: Record<string, Rule> = {
  msup: scripts('^'),
  msub: scripts('_'),
  mover: scripts('^'),
  munder: scripts('_'),
  msubsup: both,
  munderover: both,
  mfrac: ([above, below]) => `\\frac${group(above)}${group(below)}`,
  msqrt: (parts) => `\\sqrt${group(parts.join(''))}`,
  mroot: ([base, degree]) => `\\sqrt[${degree ?? ''}]${group(base)}`,
  mtable: (rows) => `\\begin{matrix}${rows.join(' \\\\ ')}\\end{matrix}`,
  mtr: (cells) => cells.join(' & '),
  mtext: (parts) => `\\text${group(parts.join(''))}`,
  mspace: () => ' ',
  annotation: () => '',
  'annotation-xml': () => '',
};

/** LaTeX for MathML without a LaTeX source; unknown elements yield their contents. */
export function texOfMathMl(node: TreeNode): string {
  if (!isElement(node)) {
    const text = node.text.trim();
    return Object.hasOwn(NAMED, text) ? (NAMED[text] ?? text) : text;
  }
  const parts = node.children.map(texOfMathMl).filter((part) => part !== '');
  const rule = Object.hasOwn(RULES, node.tag) ? RULES[node.tag] : undefined;
  return rule === undefined ? parts.join('') : rule(parts, node);
}
