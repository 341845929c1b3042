import { invalid, invalidObject } from '../../../kernel/errors/errors.ts';
import { BLANK, mustBeAtMost } from '../../../kernel/errors/problems.ts';
import { type CustomContent, fillMail, variablesIn } from '../../../platform/mail/index.ts';
import { EMAIL_TEMPLATES, type EmailTemplateName } from './template-names.ts';
import { valuesFor, variablesOf } from './variables.ts';

const LONGEST_SUBJECT = 255;
const LONGEST_BODY = 60_000;
const LONGEST_LANGUAGE = 35;

/** Emails must not contain active content. */
const ACTIVE = [/<(?:script|iframe|object|embed|form|base)\b/i, /[\s"'/]on[a-z]+\s*=/i, /(?:java|vb)script:/i];
/** Tells whether a tag is a `meta` tag that acts as an HTTP header, for example to redirect the reader. */
const isRefresh = (tag: string): boolean => /<meta\s/.test(tag) && tag.includes('http-equiv', tag.indexOf('<meta'));
const isActive = (body: string): boolean =>
  ACTIVE.some((one) => one.test(body)) || body.toLowerCase().split('>').some(isRefresh);
/**
 * The start of a directive of the Velocity language. This service does not run directives, so readers would see them as
 * text.
 */
const DIRECTIVE = /#(?:set|if|elseif|foreach|parse|include|macro|evaluate|define)\s*\(/i;
const SAMPLE_LINK = 'https://link.invalid/sample';

function causesOf(field: 'subject' | 'body', text: string, template: EmailTemplateName): string[] {
  const known = variablesOf(template);
  const unknown = variablesIn(text).filter((name) => !known.includes(name));
  return [
    ...(text.trim() === '' ? [`${field}: ${BLANK}`] : []),
    ...unknown.map(
      (name) => `${field}: \${${name}} is not a variable of this template, which has \${${known.join('}, ${')}}.`,
    ),
    ...(DIRECTIVE.test(text) ? [`${field}: must not contain directives such as #if().`] : []),
  ];
}

function subjectCauses(subject: string, template: EmailTemplateName): string[] {
  const { link } = EMAIL_TEMPLATES[template];
  return [
    ...causesOf('subject', subject, template),
    ...(subject.length > LONGEST_SUBJECT ? [`subject: ${mustBeAtMost(LONGEST_SUBJECT)}`] : []),
    ...(/\p{C}/u.test(subject) ? ['subject: must be one line without control characters.'] : []),
    ...(link !== null && variablesIn(subject).includes(link) ? [`subject: must not contain \${${link}}.`] : []),
  ];
}

function bodyCauses(body: string, template: EmailTemplateName): string[] {
  if (body.length > LONGEST_BODY) return [`body: ${mustBeAtMost(LONGEST_BODY)}`];
  const { link } = EMAIL_TEMPLATES[template];
  const reader = { profile: {}, orgName: '', baseUrl: '', url: SAMPLE_LINK };
  const isMissing =
    link !== null && !fillMail({ subject: '', body }, valuesFor(template, reader)).text.includes(SAMPLE_LINK);
  return [
    ...causesOf('body', body, template),
    ...(isActive(body) ? ['body: must not contain scripts, frames, forms or event handlers.'] : []),
    ...(isMissing ? [`body: must contain \${${link ?? ''}} as text or as the target of a link.`] : []),
  ];
}

export function readContent(template: EmailTemplateName, { body, subject }: CustomContent): CustomContent {
  const subjectFaults = subjectCauses(subject, template);
  const bodyFaults = bodyCauses(body, template);
  const faults = [...subjectFaults, ...bodyFaults];
  if (faults.length > 0) throw invalidObject(subjectFaults.length > 0 ? 'subject' : 'body', faults);
  return { subject: subject.trim(), body };
}

const canonical = (tag: string): string | null => {
  if (tag.length > LONGEST_LANGUAGE) return null;
  try {
    return Intl.getCanonicalLocales(tag)[0] ?? null;
  } catch {
    return null;
  }
};

/** Returns the canonical form of a language tag (RFC 5646). */
export function readLanguage(text: string): string {
  const language = canonical(text);
  if (language === null) throw invalid('language', 'must be a language tag, such as de or pt-BR.');
  return language;
}

/** Lists the languages for a locale, best first: `de-AT` and `de` for `de_AT`. */
export function languagesFor(locale: string | null): readonly string[] {
  const language = canonical((locale ?? '').replaceAll('_', '-'));
  if (language === null) return [];
  const [primary = ''] = language.split('-');
  return [...new Set([language, primary])];
}
