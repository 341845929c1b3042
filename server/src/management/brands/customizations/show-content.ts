import { type Context, userIdOf } from '../../../kernel/context.ts';
import { type CustomContent, fillMail, renderMail } from '../../../platform/mail/index.ts';
import type { MailLook } from '../../../platform/pages/index.ts';
import type { Db } from '../../../platform/postgres/index.ts';
import { findOrgName } from '../../orgs/index.ts';
import { findUserById } from '../../users/index.ts';
import { readLanguage } from './read-content.ts';
import { EMAIL_TEMPLATES, type EmailTemplateName } from './template-names.ts';
import { valuesFor } from './variables.ts';

/** A caller who is not a user gets a sample profile. */
async function callerProfile(db: Db, { orgId, principal }: Context): Promise<Readonly<Record<string, unknown>>> {
  const userId = userIdOf(principal);
  const user = userId === null ? undefined : await findUserById(db, orgId, userId);
  return (
    user?.profile ?? { firstName: 'Ada', lastName: 'Lovelace', login: 'ada@example.com', email: 'ada@example.com' }
  );
}

export async function previewOf(
  db: Db,
  context: Context,
  template: EmailTemplateName,
  content: CustomContent,
): Promise<CustomContent> {
  const profile = await callerProfile(db, context);
  const orgName = await findOrgName(db, context.orgId);
  const { canonicalUrl: baseUrl } = context;
  const mail = fillMail(content, valuesFor(template, { profile, orgName, baseUrl, url: `${baseUrl}/example` }));
  return { subject: mail.subject, body: mail.html };
}

/**
 * Returns the built-in content of a template, with variables in place of the values. The default language is the
 * caller's.
 */
export async function defaultContentOf(
  db: Db,
  context: Context,
  template: EmailTemplateName,
  language: string | undefined,
  look: MailLook | null,
): Promise<CustomContent> {
  const { kind, link } = EMAIL_TEMPLATES[template];
  const profile = language === undefined ? await callerProfile(db, context) : {};
  const locale = language === undefined ? profile['locale'] : readLanguage(language);
  const { html, subject } = renderMail(kind, {
    displayName: '${user.profile.firstName}',
    orgName: '${org.name}',
    url: link === null ? '${baseURL}' : `\${${link}}`,
    validMinutes: null,
    locale: typeof locale === 'string' ? locale : null,
    look,
  });
  return { subject, body: html };
}
