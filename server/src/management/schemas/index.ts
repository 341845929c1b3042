export type { AppFacts, AppUserKind } from './app-user-profile.ts';
export type { ProfileAttribute, ProfileInput, ProfileSchema } from './attribute.ts';
export { BASE_PROFILE_ATTRIBUTES, profileSchema } from './base-profile.ts';
export { checkProfile, sizeProblems } from './check-profile.ts';
export { checkStoredSchema, checkStoredUserType } from './check-stored.ts';
export { createDefaultUserType } from './create-user-type.ts';
export type { SchemaOwner } from './followers-store.ts';
export { isEmailAddress } from './formats.ts';
export { createSchemaIdReader } from './get-user-type.ts';
export {
  lockAppUserSchemaForWrite,
  lockGroupSchemaForWrite,
  lockSchemaForWrite,
  readAppUserSchema,
  readGroupSchema,
  readUserSchemas,
} from './lock-schema.ts';
export { NEW_PROFILE_BODY, STORED_PROFILE_BODY } from './profile-body-limits.ts';
export { schemaJobs } from './purge-job.ts';
export { removeAppUserSchema } from './remove-app-user-schema.ts';
export { customAttributeRows, customSearchField, uniqueAttributeRows } from './search-index.ts';
export { holdUserTypes, MAXIMUM_USER_TYPES, readUserTypes } from './store.ts';
export type { SchemaPorts } from './update-schema.ts';
