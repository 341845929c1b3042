import type { AppId, OrgId } from '../../../kernel/words/ids.ts';
import { type Db, prepared, type Tx } from '../../../platform/postgres/index.ts';
import type { StoredMembers } from '../modes/field-rules.ts';

/** The stored settings for provisioning accounts in an app. The service does not contact the app yet. */
export interface Provisioning {
  readonly status: 'ENABLED' | 'DISABLED';
  readonly baseUrl: string | null;
  readonly features: Readonly<Record<string, StoredMembers>>;
  /** The revision of the whole row, including its features. */
  readonly revision: number;
}

export type WantedProvisioning = Omit<Provisioning, 'revision'>;

export async function findProvisioning(db: Db, orgId: OrgId, appId: AppId): Promise<Provisioning | null> {
  const text = `select status, base_url as "baseUrl", features, revision from app_provisioning
    where org_id = $1 and app_id = $2`;
  const [row] = await prepared<Provisioning>(db, 'app_provisioning', text, [orgId, appId]);
  return row ?? null;
}

/** Needs the lock on the app's row. A null `sealedToken` keeps the stored one. */
export async function saveProvisioning(
  tx: Tx,
  orgId: OrgId,
  appId: AppId,
  { baseUrl, features, status }: WantedProvisioning,
  sealedToken: Buffer | null,
): Promise<Provisioning> {
  const text = `insert into app_provisioning (org_id, app_id, status, base_url, features, sealed_token)
    values ($1, $2, $3, $4, $5, $6)
    on conflict (org_id, app_id) do update
      set status = excluded.status, base_url = excluded.base_url, features = excluded.features,
        sealed_token = coalesce(excluded.sealed_token, app_provisioning.sealed_token),
        revision = app_provisioning.revision + 1
      where app_provisioning.org_id = $1
    returning revision`;
  const values = [orgId, appId, status, baseUrl, JSON.stringify(features), sealedToken];
  const [row] = await prepared<Pick<Provisioning, 'revision'>>(tx, 'app_provisioning_save', text, values);
  return { baseUrl, features, status, revision: row?.revision ?? 0 };
}
