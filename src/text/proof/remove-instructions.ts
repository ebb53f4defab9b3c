/** Sentences that speak to a model rather than to a reader, and marks of the templates of models. */
const INSTRUCTIONS: readonly RegExp[] = [
  /\b(?:ignore|disregard|forget|override|bypass)\b[^.!?\n]{0,60}\b(?:instructions?|prompts?|rules|guidelines|directions|messages?|context|the above|everything above)\b/i,
  /\b(?:system|developer) (?:prompt|message)\b/i,
  /\byou are (?:now )?(?:an? )?(?:AI|artificial intelligence|assistant|(?:large )?language model|chatbot|LLM|GPT)\b/i,
  /\b(?:AI|LLM|language model|assistant|chatbot)s?(?: (?:agents?|assistants?|models?|systems?|readers?|crawlers?))? (?:must|should|shall|have to|are to|is to|reading this|who read)\b/i,
  /\b(?:new|updated|important|hidden|special) instructions?\s*:/i,
  /\bdo not (?:tell|reveal|mention|disclose)\b[^.!?\n]{0,60}\b(?:users?|reader|anyone|prompt|instructions?)\b/i,
  /<\|[a-z_]{2,20}\|>|\[\/?INST\]|<<\/?SYS>>|^\s*#{2,3} ?(?:instruction|system)s?\s*:?\s*$/im,
];

/**
 * Removes the paragraphs of a page that give orders to a model. What a model reads and a quotation could cite is then without them; a page
 * about such orders loses these paragraphs too.
 */
export function removeInstructions(markdown: string): string {
  if (!INSTRUCTIONS.some((pattern) => pattern.test(markdown))) return markdown;
  return markdown
    .split(/\n(?:[ \t]*\n)+/)
    .filter((block) => !INSTRUCTIONS.some((pattern) => pattern.test(block)))
    .join('\n\n');
}
