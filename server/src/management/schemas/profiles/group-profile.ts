import type { ProfileAttribute, ProfileSchema } from '../attributes/attribute.ts';

const attribute = (title: string, details: Partial<ProfileAttribute>): ProfileAttribute => ({
  title,
  type: 'string',
  required: false,
  mutability: 'READ_WRITE',
  scope: 'NONE',
  permissions: [{ principal: 'SELF', action: 'READ_ONLY' }],
  ...details,
});

/** The attributes of every group (contract section 5; OpenAPI GroupSchemaBaseProperties). */
export const GROUP_PROFILE_ATTRIBUTES: ProfileSchema = new Map([
  [
    'name',
    attribute('Name', { description: 'Name of the group', required: true, isLine: true, minLength: 1, maxLength: 255 }),
  ],
  ['description', attribute('Description', { description: 'What the group is for', maxLength: 1_024 })],
]);
