import { FIRST_REVISION, type Version } from '../../kernel/version.ts';
import type { AppId } from '../../kernel/words/ids.ts';
import { GROUP_OWNER, type ProfileSchemaRow } from './profiles/profile-schema-store.ts';
import type { UserType } from './store.ts';

type Row = Pick<ProfileSchemaRow, 'revision'> | undefined;

/** A user type and its schema share a revision, because they share a row. */
export const typeVersion = ({ id, revision }: UserType): Version => ({ kind: 'userType', id, revision });
export const userSchemaVersion = ({ revision, schemaId }: UserType): Version => ({
  kind: 'userSchema',
  id: schemaId,
  revision,
});

export const groupSchemaVersion = (row: Row): Version => ({
  kind: 'groupSchema',
  id: GROUP_OWNER,
  revision: row?.revision ?? FIRST_REVISION,
});

export const appUserSchemaVersion = (appId: AppId, row: Row): Version => ({
  kind: 'appUserSchema',
  id: appId,
  revision: row?.revision ?? FIRST_REVISION,
});
