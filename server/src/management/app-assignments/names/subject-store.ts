import { loginKey, valueKey } from '../../../kernel/texts/text.ts';
import type { AppId, OrgId } from '../../../kernel/words/ids.ts';
import { prepared, type Tx } from '../../../platform/postgres/index.ts';
import { subjectHashOf } from '../../users/index.ts';

export interface NameInApp {
  readonly appId: AppId;
  readonly userId: string;
  readonly name: string;
}

export interface NameHolders {
  /** The id of the other user who has this name as their login. */
  readonly loginOf: string | null;
  /** Whether another user has this name in the app, or had it as the subject of a token. */
  readonly isAnothers: boolean;
  /** Whether an OAuth client of the org has or had this name as its id. */
  readonly isClient: boolean;
}

/** Call this after `lockNames`. */
export async function findNameHolders(tx: Tx, orgId: OrgId, { appId, name, userId }: NameInApp): Promise<NameHolders> {
  const text = `select
      (select id from users where org_id = $1 and login_key = $4 and id <> $3) as "loginOf",
      exists (select 1 from app_users where org_id = $1 and app_id = $2 and user_name_key = $5 and user_id <> $3)
        or exists (select 1 from token_subjects where org_id = $1 and subject_hash = $6 and user_id <> $3)
        as "isAnothers",
      exists (select 1 from client_ids where org_id = $1 and name_key = $4) as "isClient"`;
  const values = [orgId, appId, userId, loginKey(name), valueKey(name), subjectHashOf(name)];
  const [row] = await prepared<NameHolders>(tx, 'name_holders', text, values);
  if (row === undefined) throw new Error('a statement without a condition had no row');
  return row;
}

export async function findSubjectOwner(tx: Tx, orgId: OrgId, name: string): Promise<string | undefined> {
  const text = 'select user_id as "userId" from token_subjects where org_id = $1 and subject_hash = $2';
  const [row] = await prepared<{ userId: string }>(tx, 'token_subject_owner', text, [orgId, subjectHashOf(name)]);
  return row?.userId;
}

export async function insertSubject(tx: Tx, orgId: OrgId, { name, userId }: NameInApp): Promise<void> {
  const text = `insert into token_subjects (org_id, subject_hash, user_id, created_at)
    values ($1, $2, $3, clock_timestamp())`;
  await prepared(tx, 'token_subject_insert', text, [orgId, subjectHashOf(name), userId]);
}
