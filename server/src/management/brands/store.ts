import { sql } from 'kysely';
import type { OrgId } from '../../kernel/words/ids.ts';
import type { KeysetRequest } from '../../platform/http/index.ts';
import type { CustomContent } from '../../platform/mail/index.ts';
import { type Db, prepared, run, type Tx } from '../../platform/postgres/index.ts';
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

/** Columns in the spelling of EmailCustomization, so that a row needs no mapping. */
const COLUMNS = `id, template, language, is_default as "isDefault", subject, body, created_at as "createdAt",
  last_updated_at as "lastUpdatedAt", revision`;

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

/** Finds the content in the first available of these languages, else the default one. */
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
  const { body, createdAt, id, isDefault, language, lastUpdatedAt, subject, template } = customization;
  const text = `insert into email_customizations
      (org_id, id, template, language, is_default, subject, body, created_at, last_updated_at)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`;
  const values = [orgId, id, template, language, isDefault, subject, body, createdAt, lastUpdatedAt];
  await prepared(tx, 'email_customization_insert', text, values);
}

export async function updateCustomization(tx: Tx, orgId: OrgId, customization: EmailCustomization): Promise<void> {
  const { body, id, isDefault, language, lastUpdatedAt, subject } = customization;
  const text = `update email_customizations set language = $3, is_default = $4, subject = $5, body = $6,
      last_updated_at = $7, revision = revision + 1
    where org_id = $1 and id = $2`;
  const values = [orgId, id, language, isDefault, subject, body, lastUpdatedAt];
  await prepared(tx, 'email_customization_update', text, values);
}

export async function removeCustomization(tx: Tx, orgId: OrgId, id: string): Promise<void> {
  const text = 'delete from email_customizations where org_id = $1 and id = $2';
  await prepared(tx, 'email_customization_delete', text, [orgId, id]);
}

/** Removes all customizations of a template, and returns them. */
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

/** Reads customizations by id, nearest to the key first. */
export async function readCustomizations(
  db: Db,
  orgId: OrgId,
  template: EmailTemplateName,
  request: KeysetRequest<string>,
): Promise<EmailCustomization[]> {
  const beyond = request.backwards ? sql`<` : sql`>`;
  const place = request.key === null ? sql`true` : sql`id ${beyond} ${request.key}`;
  const direction = request.backwards ? sql`desc` : sql`asc`;
  const result = await sql<EmailCustomization>`select ${sql.raw(COLUMNS)} from email_customizations
    where org_id = ${orgId} and template = ${template} and ${place}
    order by id ${direction} limit ${request.rows}`.execute(db);
  return result.rows;
}
