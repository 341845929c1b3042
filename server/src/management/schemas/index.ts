export type { ProfileAttribute, ProfileInput, ProfileSchema } from './attributes/attribute.ts';
export { expressionTypeOf, hasType, scalarTypeOf } from './attributes/attribute-types.ts';
export { BASE_PROFILE_ATTRIBUTES, MAXIMUM_LOGIN_LENGTH, profileSchema } from './attributes/base-profile.ts';
export { isEmailAddress } from './attributes/formats.ts';
export { customAttributeRows, customSearchField, uniqueAttributeRows } from './attributes/search-index.ts';
export { checkStoredSchema, checkStoredUserType } from './changes/check-stored.ts';
export type { SchemaOwner } from './changes/followers-store.ts';
export {
  type LockedSchema,
  lockAppUserSchemaForWrite,
  lockGroupSchemaForWrite,
  lockSchemaForWrite,
  lockSchemaOfUser,
  readAppUserSchema,
  readGroupSchema,
  readUserSchemas,
} from './changes/lock-schema.ts';
export { schemaJobs } from './changes/purge-job.ts';
export { removeAppUserSchema } from './changes/remove-app-user-schema.ts';
export type { SchemaPorts } from './changes/update-schema.ts';
export type { AppFacts, AppUserKind } from './profiles/app-user-profile.ts';
export { checkProfile, sizeProblems } from './profiles/check-profile.ts';
export { NEW_PROFILE_BODY, STORED_PROFILE_BODY } from './profiles/profile-body-limits.ts';
export { lockUserTypesForShare, MAXIMUM_USER_TYPES, readUserTypes } from './store.ts';
export { createDefaultUserType } from './types/create-user-type.ts';
export { createSchemaIdReader } from './types/get-user-type.ts';
