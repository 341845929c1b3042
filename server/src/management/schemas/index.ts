export {
  BASE_PROFILE_ATTRIBUTES,
  isEmailAddress,
  type ProfileInput,
  type ProfileSchema,
  profileSchema,
  validateProfile,
} from './base-profile.ts';
export { createDefaultUserType } from './create-default-user-type.ts';
export { createSchemaIdReader } from './get-user-type.ts';
export { lockSchemaForWrite } from './lock-schema.ts';
