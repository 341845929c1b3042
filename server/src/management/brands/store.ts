import { sql } from 'kysely';
import type { OrgId } from '../../kernel/words/ids.ts';
import type { KeysetRequest } from '../../platform/http/index.ts';
import type { CustomContent } from '../../platform/mail/index.ts';
import { columns, type Db, keysetRows, prepared, run, type Tx } from '../../platform/postgres/index.ts';
import type { EmailTemplateName } from './customizations/template-names.ts';

export interface EmailCustomization extends CustomContent {
  readonly id: string;
  readonly template: EmailTemplateName;
  readonly language: string;
  readonly isDefault: boolean;
  readonly createdAt: Date;
  readonly lastUpdatedAt: Date;
  readonly revision: number;
}

const CUSTOMIZATIONS = columns<EmailCustomization>('email_customizations', {
  id: 'key',
  template: 'fixed',
  language: 'changes',
  isDefault: 'changes',
  subject: 'changes',
  body: 'changes',
  createdAt: 'fixed',
  lastUpdatedAt: 'changes',
  revision: 'revision',
});
const COLUMNS = CUSTOMIZATIONS.select();
const INSERT = CUSTOMIZATIONS.insert();
const UPDATE = CUSTOMIZATIONS.update();

export async function findCustomization(
  db: Db,
  orgId: OrgId,
  template: EmailTemplateName,
  id: string,
): Promise<EmailCustomization | undefined> {
  const text = `select ${COLUMNS} from email_customizations where org_id = $1 and template = $2 and id = $3`;
  const [row] = await prepared<EmailCustomization>(db, 'email_customization_by_id', text, [orgId, template, id]);
  return row;
}

export async function findCustomizationForUpdate(
  tx: Tx,
  orgId: OrgId,
  template: EmailTemplateName,
  id: string,
): Promise<EmailCustomization | undefined> {
  const text = `select ${COLUMNS} from email_customizations where org_id = $1 and template = $2 and id = $3 for update`;
  const [row] = await prepared<EmailCustomization>(tx, 'email_customization_lock', text, [orgId, template, id]);
  return row;
}

/** Finds the customization for the first of these languages that has one, or else the default customization. */
export async function findContent(
  db: Db,
  orgId: OrgId,
  template: EmailTemplateName,
  languages: readonly string[],
): Promise<CustomContent | undefined> {
  const text = `select subject, body from email_customizations
    where org_id = $1 and template = $2 and (language = any($3::text[]) or is_default)
    order by array_position($3::text[], language) asc nulls last limit 1`;
  const [row] = await prepared<CustomContent>(db, 'email_customization_content', text, [orgId, template, languages]);
  return row;
}

export async function countCustomizations(db: Db, orgId: OrgId, template: EmailTemplateName): Promise<number> {
  const text = 'select count(*)::int as count from email_customizations where org_id = $1 and template = $2';
  const [row] = await prepared<{ count: number }>(db, 'email_customization_count', text, [orgId, template]);
  return row?.count ?? 0;
}

export async function insertCustomization(tx: Tx, orgId: OrgId, customization: EmailCustomization): Promise<void> {
  await prepared(tx, 'email_customization_insert', INSERT.text, INSERT.values(orgId, customization));
}

export async function updateCustomization(tx: Tx, orgId: OrgId, customization: EmailCustomization): Promise<void> {
  await prepared(tx, 'email_customization_update', UPDATE.text, UPDATE.values(orgId, customization));
}

export async function removeCustomization(tx: Tx, orgId: OrgId, id: string): Promise<void> {
  const text = 'delete from email_customizations where org_id = $1 and id = $2';
  await prepared(tx, 'email_customization_delete', text, [orgId, id]);
}

export const removeCustomizations = (
  tx: Tx,
  orgId: OrgId,
  template: EmailTemplateName,
): Promise<EmailCustomization[]> =>
  run<EmailCustomization>(
    tx,
    `delete from email_customizations where org_id = $1 and template = $2 returning ${COLUMNS}`,
    [orgId, template],
  );

export const readCustomizations = (
  db: Db,
  orgId: OrgId,
  template: EmailTemplateName,
  request: KeysetRequest<string>,
): Promise<EmailCustomization[]> =>
  keysetRows<EmailCustomization>(
    db,
    sql`select ${sql.raw(COLUMNS)} from email_customizations where org_id = ${orgId} and template = ${template}`,
    'id',
    request,
  );
