import { type Context, userIdOf } from '../../../kernel/context.ts';
import { apiError } from '../../../kernel/errors/errors.ts';
import { fillMail, type NewMail, renderMail } from '../../../platform/mail/index.ts';
import type { Tx } from '../../../platform/postgres/index.ts';
import type { Work } from '../../../system-log/index.ts';
import { findOrgName } from '../../orgs/index.ts';
import { findUserById } from '../../users/index.ts';
import { findContent } from '../store.ts';
import { mailLookFor } from './mail-look.ts';
import { languagesFor, readLanguage } from './read-content.ts';
import { EMAIL_TEMPLATES, type EmailTemplateName } from './template-names.ts';
import { valuesFor } from './variables.ts';

export interface TestMailPorts {
  readonly work: Work;
  /** `limited` means that too many emails were recently sent to the address. */
  readonly queueMail: (tx: Tx, context: Context, mail: NewMail) => Promise<'queued' | 'limited'>;
}

const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);

/** Sends a test email to the caller's primary and secondary addresses. */
export async function sendTestMail(
  { queueMail, work }: TestMailPorts,
  context: Context,
  template: EmailTemplateName,
  language: string | undefined,
): Promise<void> {
  const { canonicalUrl: baseUrl, orgId, principal } = context;
  const userId = userIdOf(principal);
  if (userId === null) throw apiError('E0000006');
  const asked = language === undefined ? null : readLanguage(language);
  await work(context, async (tx) => {
    const user = await findUserById(tx, orgId, userId);
    if (user === undefined) throw apiError('E0000006');
    const { profile } = user;
    const locale = asked ?? textOf(profile['locale']);
    const orgName = await findOrgName(tx, orgId);
    const url = `${baseUrl}/example`;
    const custom = await findContent(tx, orgId, template, languagesFor(locale));
    const content =
      custom === undefined
        ? renderMail(EMAIL_TEMPLATES[template].kind, {
            displayName: textOf(profile['displayName']) ?? textOf(profile['firstName']) ?? '',
            orgName,
            url,
            validMinutes: null,
            locale,
            look: await mailLookFor(tx, context),
          })
        : fillMail(custom, valuesFor(template, { profile, orgName, baseUrl, url }));
    const addresses = [textOf(profile['email']), textOf(profile['secondEmail'])].filter((one) => one !== null);
    for (const recipient of new Set(addresses)) {
      const sent = await queueMail(tx, context, { kind: 'test', userId, recipient, ...content });
      if (sent === 'limited') throw apiError('E0000047');
    }
  });
}
