import { FIRST_REVISION } from '../../../kernel/version.ts';
import type { OrgId } from '../../../kernel/words/ids.ts';
import { columns, type Db, prepared, type Tx } from '../../../platform/postgres/index.ts';
import type { EmailTemplateName, Recipients } from '../customizations/template-names.ts';

export interface TemplateSettings {
  readonly template: EmailTemplateName;
  readonly recipients: Recipients;
  readonly revision: number;
}

const SETTINGS = columns<TemplateSettings, TemplateSettings & { readonly lastUpdatedAt: Date }>(
  'email_template_settings',
  {
    template: 'key',
    recipients: 'changes',
    lastUpdatedAt: { is: 'changes', reads: null },
    revision: 'changes',
  },
);
const FIND = `select ${SETTINGS.select()} from email_template_settings where ${SETTINGS.isKey}`;
const SET = SETTINGS.upsert();

/** Settings that were never changed have no row. */
export async function findTemplateSettings(
  db: Db,
  orgId: OrgId,
  template: EmailTemplateName,
): Promise<TemplateSettings> {
  const [row] = await prepared<TemplateSettings>(db, 'email_template_settings_find', FIND, [orgId, template]);
  return row ?? { template, recipients: 'ALL_USERS', revision: FIRST_REVISION };
}

export async function setTemplateSettings(tx: Tx, orgId: OrgId, settings: TemplateSettings, now: Date): Promise<void> {
  const text = `${SET.text} where email_template_settings.org_id = $1`;
  await prepared(tx, 'email_template_settings_set', text, SET.values(orgId, { ...settings, lastUpdatedAt: now }));
}
