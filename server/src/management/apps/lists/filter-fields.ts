import { type FieldTable, fieldTable } from '../../../filter/index.ts';

/** The fields by which the list of apps can be filtered (contract section 17). */
export const APP_FIELDS: FieldTable = fieldTable([
  { name: 'id', type: 'string', operators: ['eq', 'ne'] },
  { name: 'name', type: 'string', operators: ['eq', 'sw', 'ne'] },
  { name: 'status', type: 'string', operators: ['eq', 'ne'] },
  { name: 'credentials.signing.kid', type: 'string', operators: ['eq', 'ne'] },
  { name: 'settings.slo.enabled', type: 'boolean', operators: ['eq'] },
  { name: 'user.id', type: 'string', operators: ['eq'] },
  { name: 'group.id', type: 'string', operators: ['eq'] },
]);
