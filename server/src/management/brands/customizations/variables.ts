import type { MailVariables } from '../../../platform/mail/index.ts';
import { EMAIL_TEMPLATES, type EmailTemplateName } from './template-names.ts';

const PROFILE = ['login', 'email', 'firstName', 'lastName', 'displayName'] as const;
const PROFILE_VARIABLES = PROFILE.map((name) => `user.profile.${name}`);

/** Returns the names of a template's variables, without the `${` and `}` that enclose them in its content. */
export function variablesOf(template: EmailTemplateName): readonly string[] {
  const { link } = EMAIL_TEMPLATES[template];
  return [...PROFILE_VARIABLES, 'org.name', 'baseURL', ...(link === null ? [] : [link])];
}

export interface MailReader {
  readonly profile: Readonly<Record<string, unknown>>;
  readonly orgName: string;
  readonly baseUrl: string;
  readonly url: string;
}

export function valuesFor(template: EmailTemplateName, { baseUrl, orgName, profile, url }: MailReader): MailVariables {
  const { link } = EMAIL_TEMPLATES[template];
  const texts = PROFILE.map((name) => {
    const value = profile[name];
    return [`user.profile.${name}`, typeof value === 'string' ? value : ''] as const;
  });
  return {
    addresses: { baseURL: baseUrl, ...(link === null ? {} : { [link]: url }) },
    texts: { ...Object.fromEntries(texts), 'org.name': orgName },
  };
}
