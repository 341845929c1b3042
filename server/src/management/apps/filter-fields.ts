import { type FieldTable, fieldTable } from '../../filter/index.ts';

/** What the list can be filtered by (contract section 17); users and groups follow with their assignments. */
export const APP_FIELDS: FieldTable = fieldTable([
  { name: 'id', type: 'string', operators: ['eq', 'ne'] },
  { name: 'name', type: 'string', operators: ['eq', 'sw', 'ne'] },
  { name: 'status', type: 'string', operators: ['eq', 'ne'] },
]);
