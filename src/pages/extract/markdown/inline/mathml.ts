import { isElement, type TreeElement, type TreeNode } from '../../tree.ts';

type Rule = (parts: string[], element: TreeElement) => string;

const wrapInBraces = (part: string | undefined): string => `{${part ?? ''}}`;
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
const createScriptRule =
  (sign: string): Rule =>
  ([base, script]) =>
    `${base ?? ''}${sign}${wrapInBraces(script)}`;
const renderBothScripts: Rule = ([base, low, high]) =>
  `${base ?? ''}_${wrapInBraces(low)}^${wrapInBraces(high)}`;

/** Rules from presentation MathML to LaTeX, by element (W3C MathML Core, section 3). */
const RULES: Record<string, Rule> = {
  msup: createScriptRule('^'),
  msub: createScriptRule('_'),
  mover: createScriptRule('^'),
  munder: createScriptRule('_'),
  msubsup: renderBothScripts,
  munderover: renderBothScripts,
  mfrac: ([above, below]) => `\\frac${wrapInBraces(above)}${wrapInBraces(below)}`,
  msqrt: (parts) => `\\sqrt${wrapInBraces(parts.join(''))}`,
  mroot: ([base, degree]) => `\\sqrt[${degree ?? ''}]${wrapInBraces(base)}`,
  mtable: (rows) => `\\begin{matrix}${rows.join(' \\\\ ')}\\end{matrix}`,
  mtr: (cells) => cells.join(' & '),
  mtext: (parts) => `\\text${wrapInBraces(parts.join(''))}`,
  mspace: () => ' ',
  annotation: () => '',
  'annotation-xml': () => '',
};

/** Converts MathML without a LaTeX source to LaTeX; unknown elements yield their contents. */
export function convertMathMl(node: TreeNode): string {
  if (!isElement(node)) {
    const text = node.text.trim();
    return Object.hasOwn(NAMED, text) ? (NAMED[text] ?? text) : text;
  }
  const parts = node.children.map(convertMathMl).filter((part) => part !== '');
  const rule = Object.hasOwn(RULES, node.tag) ? RULES[node.tag] : undefined;
  return rule === undefined ? parts.join('') : rule(parts, node);
}
