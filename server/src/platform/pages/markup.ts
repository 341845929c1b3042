import { escapeHtml } from '../../kernel/texts/html.ts';

/** Text that is already HTML. `markup` and `trusted` create it. */
export interface Markup {
  readonly html: string;
}

/** A value in a template. Text is escaped, markup is kept, and null and false are left out. */
export type Part = Markup | string | number | null | false | readonly Part[];

function render(part: Part): string {
  if (part === null || part === false) return '';
  if (typeof part === 'string') return escapeHtml(part);
  if (typeof part === 'number') return String(part);
  return 'html' in part ? part.html : part.map(render).join('');
}

/**
 * Builds HTML from a template. Inserted values are escaped for text and for quoted attribute values, so every attribute
 * in a template must be quoted. Escaping is not enough in styles, in scripts, or for the scheme of a link.
 */
export const markup = (texts: TemplateStringsArray, ...parts: readonly Part[]): Markup => ({
  html: texts.map((text, index) => (index === 0 ? text : render(parts[index - 1] ?? null) + text)).join(''),
});

/** Marks text as HTML without escaping it. The text must be our own. */
export const trusted = (html: string): Markup => ({ html });
