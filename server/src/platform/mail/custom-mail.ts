import { escapeHtml } from '../../kernel/texts/html.ts';
import { plainTextOf } from './plain-text.ts';
import { type MailContent, oneLine, withoutLinks } from './templates.ts';

/** An org's own text for an email. Its `${variables}` stand for values and are never executed. The body is HTML. */
export interface CustomContent {
  readonly subject: string;
  readonly body: string;
}

export interface MailVariables {
  /** Addresses of our own pages. */
  readonly addresses: Readonly<Record<string, string>>;
  /** Texts that people wrote. Each becomes one short line, or is omitted if email programs might show it as a link. */
  readonly texts: Readonly<Record<string, string>>;
}

const VARIABLE = /\$\{([^{}]{0,100})\}/g;

export const variablesIn = (text: string): string[] => [
  ...new Set([...text.matchAll(VARIABLE)].map(([, name = '']) => name)),
];

/** Renders an email from an org's content. Unknown variables are left out. Values are escaped in the HTML. */
export function fillMail({ body, subject }: CustomContent, { addresses, texts }: MailVariables): MailContent {
  const lines = Object.entries(texts).map(([name, text]) => [name, withoutLinks(oneLine(text))] as const);
  const values = new Map([...Object.entries(addresses), ...lines]);
  const html = body.replaceAll(VARIABLE, (_, name: string) => escapeHtml(values.get(name) ?? ''));
  const line = subject.replaceAll(VARIABLE, (_, name: string) => values.get(name) ?? '');
  return { subject: oneLine(line, 255), html, text: plainTextOf(html) };
}
