export {
  BASE_PROFILE_ATTRIBUTES,
  isEmailAddress,
  type ProfileAttribute,
  type ProfileInput,
  type ProfileOverrides,
  type ProfileSchema,
  profileSchema,
  validateProfile,
} from './base-profile.ts';
export { createDefaultUserType } from './create-default-user-type.ts';
export { findSchemaId } from './get-user-type.ts';
export { type LockedSchema, lockSchemaForWrite } from './lock-schema.ts';
