import type { GroupFact } from '../../expression/index.ts';
import type { OrgId } from '../../kernel/ids.ts';
import { type Db, prepared, type Tx } from '../../platform/postgres/index.ts';

/** A user whom tokens are about. */
export interface TokenUser {
  readonly id: string;
  readonly login: string;
  readonly status: string;
  readonly profile: Readonly<Record<string, unknown>>;
  readonly lastUpdatedAt: Date;
  /** What was issued before is void. */
  readonly validAfter: Date;
}

const USER = `select id, login, status, profile, last_updated_at as "lastUpdatedAt", valid_after as "validAfter"
  from users where org_id = $1 and id = $2`;

/** Locks a user against change. Undefined: there is none. */
export async function lockTokenUser(tx: Tx, orgId: OrgId, userId: string): Promise<TokenUser | undefined> {
  const [row] = await prepared<TokenUser>(tx, 'token_user_lock', `${USER} for share`, [orgId, userId]);
  return row;
}

/** The same without a lock. */
export async function findTokenUser(db: Db, orgId: OrgId, userId: string): Promise<TokenUser | undefined> {
  const [row] = await prepared<TokenUser>(db, 'token_user', USER, [orgId, userId]);
  return row;
}

/** Columns in the spelling of GroupFact, so that a row needs no mapping. */
const GROUP = `g.id, g.name, case g.type when 'NATIVE_GROUP' then $3 || '_GROUP' else g.type end as type,
  coalesce(g.source_id, $3) as source`;

/** The groups a user is in, everybody's among them, by name, with what rules and claims ask of them. */
export function findTokenGroups(db: Db, orgId: OrgId, userId: string, upperWord: string): Promise<GroupFact[]> {
  const text = `select ${GROUP} from groups g where g.org_id = $1 and g.type = 'BUILT_IN'
    union all
    select ${GROUP} from group_members m join groups g on g.org_id = m.org_id and g.id = m.group_id
      where m.org_id = $1 and m.user_id = $2
    order by name, id`;
  return prepared<GroupFact>(db, 'token_groups', text, [orgId, userId, upperWord]);
}

/** The database's instant: to be read when every lock is had, so that what is issued is newer than what voids it. */
export async function databaseInstant(tx: Tx): Promise<Date> {
  const [row] = await prepared<{ at: Date }>(tx, 'token_instant', 'select clock_timestamp() as at', []);
  if (row === undefined) throw new Error('the database told no time');
  return row.at;
}
