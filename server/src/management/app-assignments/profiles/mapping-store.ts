import type { AppId, OrgId } from '../../../kernel/words/ids.ts';
import { type Db, run } from '../../../platform/postgres/index.ts';
import type { MappedProperties } from '../../profile-mappings/index.ts';

/** How users of one type are told to an app. */
export interface AppMapping {
  readonly userTypeId: string;
  /** Null: those that mappings of the app's kind begin with. */
  readonly properties: MappedProperties | null;
}

/** The mappings of an app, which the slice of mappings writes: one per user type. */
export function findAppMappings(db: Db, orgId: OrgId, appId: AppId): Promise<AppMapping[]> {
  const text = `select m.user_type_id as "userTypeId", m.properties from profile_mappings m
    where m.org_id = $1 and m.app_id = $2 and m.direction = 'TO_APP_USER'`;
  return run<AppMapping>(db, text, [orgId, appId]);
}
