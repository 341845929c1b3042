import { type Field, type FieldTable, fieldTable } from '../../filter/index.ts';

const text = (name: string): Field => ({ name, type: 'string', operators: ['eq', 'sw', 'co', 'ne', 'pr'] });

/** The contract names these fields in `listTrustedOrigins`. */
export const TRUSTED_ORIGIN_FIELDS: FieldTable = fieldTable([
  text('name'),
  text('origin'),
  { name: 'status', type: 'string', operators: ['eq', 'ne'] },
  { name: 'type', type: 'string', array: true, operators: ['eq'] },
]);
