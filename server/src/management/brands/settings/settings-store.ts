import { FIRST_REVISION } from '../../../kernel/version.ts';
import type { OrgId } from '../../../kernel/words/ids.ts';
import { type Db, prepared, type Tx } from '../../../platform/postgres/index.ts';
import type { EmailTemplateName, Recipients } from '../customizations/template-names.ts';

export interface TemplateSettings {
  readonly template: EmailTemplateName;
  readonly recipients: Recipients;
  readonly revision: number;
}

/** Finds the settings of a template, which have no row until they are changed. */
export async function findTemplateSettings(
  db: Db,
  orgId: OrgId,
  template: EmailTemplateName,
): Promise<TemplateSettings> {
  const text = `select template, recipients, revision from email_template_settings
    where org_id = $1 and template = $2`;
  const [row] = await prepared<TemplateSettings>(db, 'email_template_settings_find', text, [orgId, template]);
  return row ?? { template, recipients: 'ALL_USERS', revision: FIRST_REVISION };
}

export async function setTemplateSettings(
  tx: Tx,
  orgId: OrgId,
  { recipients, revision, template }: TemplateSettings,
  now: Date,
): Promise<void> {
  const text = `insert into email_template_settings (org_id, template, recipients, last_updated_at, revision)
    values ($1, $2, $3, $4, $5)
    on conflict (org_id, template) do update
      set recipients = excluded.recipients, last_updated_at = excluded.last_updated_at, revision = excluded.revision
      where email_template_settings.org_id = $1`;
  await prepared(tx, 'email_template_settings_set', text, [orgId, template, recipients, now, revision]);
}
