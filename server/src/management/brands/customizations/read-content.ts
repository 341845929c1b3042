import { invalid } from '../../../kernel/errors/errors.ts';
import { type CustomContent, fillMail, variablesIn } from '../../../platform/mail/index.ts';
import { EMAIL_TEMPLATES, type EmailTemplateName } from './template-names.ts';
import { valuesFor, variablesOf } from './variables.ts';

const LONGEST_SUBJECT = 255;
const LONGEST_BODY = 60_000;
const LONGEST_LANGUAGE = 35;

/** Mail programs refuse to show such elements anyway, and a page that showed them would run them. */
const ACTIVE = [/<(?:script|iframe|object|embed|form|base)\b/i, /[\s"'/]on[a-z]+\s*=/i, /(?:java|vb)script:/i];
/** Finds a `meta` that replaces an HTTP header, tag by tag. */
const isRefresh = (tag: string): boolean => /<meta\s/.test(tag) && tag.includes('http-equiv', tag.indexOf('<meta'));
const isActive = (body: string): boolean =>
  ACTIVE.some((one) => one.test(body)) || body.toLowerCase().split('>').some(isRefresh);
/** Directives of Velocity, which nothing here runs; readers must not receive them literally. */
const DIRECTIVE = /#(?:set|if|elseif|foreach|parse|include|macro|evaluate|define)\s*\(/i;
const SAMPLE_LINK = 'https://link.invalid/sample';

function causesOf(field: 'subject' | 'body', text: string, template: EmailTemplateName): string[] {
  const known = variablesOf(template);
  const unknown = variablesIn(text).filter((name) => !known.includes(name));
  return [
    ...(text.trim() === '' ? [`${field}: The field cannot be left blank`] : []),
    ...unknown.map((name) => `${field}: \${${name}} is no variable of this template: \${${known.join('}, ${')}}.`),
    ...(DIRECTIVE.test(text) ? [`${field}: directives such as #if() are not supported.`] : []),
  ];
}

function subjectCauses(subject: string, template: EmailTemplateName): string[] {
  const { link } = EMAIL_TEMPLATES[template];
  return [
    ...causesOf('subject', subject, template),
    ...(subject.length > LONGEST_SUBJECT ? [`subject: must have at most ${LONGEST_SUBJECT} characters.`] : []),
    ...(/\p{C}/u.test(subject) ? ['subject: must be one line without control characters.'] : []),
    ...(link !== null && variablesIn(subject).includes(link) ? [`subject: must not hold \${${link}}.`] : []),
  ];
}

function bodyCauses(body: string, template: EmailTemplateName): string[] {
  if (body.length > LONGEST_BODY) return [`body: must have at most ${LONGEST_BODY} characters.`];
  const { link } = EMAIL_TEMPLATES[template];
  const reader = { profile: {}, orgName: '', baseUrl: '', url: SAMPLE_LINK };
  const isMissing =
    link !== null && !fillMail({ subject: '', body }, valuesFor(template, reader)).text.includes(SAMPLE_LINK);
  return [
    ...causesOf('body', body, template),
    ...(isActive(body) ? ['body: must not hold scripts, frames, forms or handlers of events.'] : []),
    ...(isMissing ? [`body: must hold \${${link ?? ''}} as text or as the address of a link.`] : []),
  ];
}

/**
 * Reads subject and body of a customized mail. 400 E0000001 with a cause for each fault, also where the required link
 * is not visible in it.
 */
export function readContent(template: EmailTemplateName, { body, subject }: CustomContent): CustomContent {
  const subjectFaults = subjectCauses(subject, template);
  const bodyFaults = bodyCauses(body, template);
  const faults = [...subjectFaults, ...bodyFaults];
  if (faults.length > 0) throw invalid(subjectFaults.length > 0 ? 'subject' : 'body', ...faults);
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

/** Reads a language tag in the form of RFC 5646. 400 E0000001. */
export function readLanguage(text: string): string {
  const language = canonical(text);
  if (language === null) throw invalid('language', 'language: must be a language tag, such as de or pt-BR.');
  return language;
}

/** Lists the languages to look for, best first, for a reader with this locale (`de_AT`). */
export function languagesFor(locale: string | null): readonly string[] {
  const language = canonical((locale ?? '').replaceAll('_', '-'));
  if (language === null) return [];
  const [primary = ''] = language.split('-');
  return [...new Set([language, primary])];
}
