import type { Context } from '../../../kernel/context.ts';
import { apiError } from '../../../kernel/errors/errors.ts';
import { notOneOf } from '../../../kernel/errors/field-errors.ts';
import { wholeSecond } from '../../../kernel/texts/dates.ts';
import { assertVersion } from '../../../kernel/version.ts';
import { waitForOthers } from '../../../platform/postgres/index.ts';
import type { Work } from '../../../system-log/index.ts';
import {
  EMAIL_TEMPLATES,
  type EmailTemplateName,
  RECIPIENTS,
  type Recipients,
} from '../customizations/template-names.ts';
import { settingsChange, settingsVersion } from '../wire.ts';
import { findTemplateSettings, setTemplateSettings, type TemplateSettings } from './settings-store.ts';

export function readRecipients(template: EmailTemplateName, value: string): Recipients {
  const found = RECIPIENTS.find((one) => one === value);
  if (found === undefined) throw notOneOf('recipients', RECIPIENTS);
  const possible: readonly Recipients[] = EMAIL_TEMPLATES[template].recipients;
  if (!possible.includes(found)) throw apiError('E0000189');
  return found;
}

export async function replaceTemplateSettings(
  work: Work,
  context: Context,
  template: EmailTemplateName,
  value: string,
): Promise<TemplateSettings> {
  const { orgId } = context;
  const recipients = readRecipients(template, value);
  return work(context, async (tx, record) => {
    await waitForOthers(tx, orgId, 'email_template_settings');
    const before = await findTemplateSettings(tx, orgId, template);
    assertVersion(context, settingsVersion(before));
    if (before.recipients === recipients) return before;
    const after = { ...before, recipients, revision: before.revision + 1 };
    await setTemplateSettings(tx, orgId, after, wholeSecond(context.now));
    record({ eventType: 'system.email.template.settings_changed', target: [settingsChange([before, after])] });
    return after;
  });
}
