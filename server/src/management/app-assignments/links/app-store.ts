import type { OrgId } from '../../../kernel/words/ids.ts';
import { type Db, prepared, type Tx } from '../../../platform/postgres/index.ts';
import type { SignOnMode } from '../../apps/index.ts';
import type { NameTemplate } from '../names/user-names.ts';

export interface AssignableApp {
  readonly id: string;
  readonly label: string;
  readonly status: string;
  readonly signOnMode: SignOnMode;
  readonly name: string;
  readonly userNameTemplate: NameTemplate | null;
  readonly scheme: string | null;
  /** Whether users of the org have the app without an assignment. */
  readonly isImplicit: boolean;
}

const COLUMNS = `a.id, a.label, a.status, a.sign_on_mode as "signOnMode", a.document ->> 'name' as name,
  a.document -> 'credentials' -> 'userNameTemplate' as "userNameTemplate",
  a.document -> 'credentials' ->> 'scheme' as scheme,
  coalesce(a.document -> 'settings' ->> 'implicitAssignment' = 'true', false) as "isImplicit"`;

export async function findAssignableApp(db: Db, orgId: OrgId, id: string): Promise<AssignableApp | undefined> {
  const text = `select ${COLUMNS} from apps a where a.org_id = $1 and a.id = $2`;
  const [row] = await prepared<AssignableApp>(db, 'assignable_app', text, [orgId, id]);
  return row;
}

export async function lockAssignableAppForShare(tx: Tx, orgId: OrgId, id: string): Promise<AssignableApp | undefined> {
  const text = `select ${COLUMNS} from apps a where a.org_id = $1 and a.id = $2 for share`;
  const [row] = await prepared<AssignableApp>(tx, 'assignable_app_share', text, [orgId, id]);
  return row;
}

export async function lockAssignableApp(tx: Tx, orgId: OrgId, id: string): Promise<AssignableApp | undefined> {
  const text = `select ${COLUMNS} from apps a where a.org_id = $1 and a.id = $2 for no key update`;
  const [row] = await prepared<AssignableApp>(tx, 'assignable_app_lock', text, [orgId, id]);
  return row;
}

export function findAssignableApps(db: Db, orgId: OrgId, ids: readonly string[]): Promise<AssignableApp[]> {
  const text = `select ${COLUMNS} from apps a where a.org_id = $1 and a.id = any($2::text[])`;
  return prepared<AssignableApp>(db, 'assignable_apps', text, [orgId, ids]);
}
