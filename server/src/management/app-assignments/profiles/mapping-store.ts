import type { AppId, OrgId } from '../../../kernel/words/ids.ts';
import { type Db, run } from '../../../platform/postgres/index.ts';
import type { MappedProperties } from '../../profile-mappings/index.ts';

export interface AppMapping {
  readonly userTypeId: string;
  /** Null means the default mappings of the app's kind. */
  readonly properties: MappedProperties | null;
}

export function findAppMappings(db: Db, orgId: OrgId, appId: AppId): Promise<AppMapping[]> {
  const text = `select m.user_type_id as "userTypeId", m.properties from profile_mappings m
    where m.org_id = $1 and m.app_id = $2 and m.direction = 'TO_APP_USER'`;
  return run<AppMapping>(db, text, [orgId, appId]);
}
