import { type Field, type FieldTable, fieldTable } from '../../../filter/index.ts';

const text = (name: string): Field => ({ name, type: 'string', operators: ['eq', 'ne', 'sw', 'co', 'pr'] });
const word = (name: string): Field => ({ name, type: 'string', operators: ['eq', 'ne'] });
const flag = (name: string): Field => ({ name, type: 'boolean', operators: ['eq', 'ne'] });

export const SCOPE_FIELDS: FieldTable = fieldTable([
  text('name'),
  text('displayName'),
  word('consent'),
  word('metadataPublish'),
  flag('system'),
  flag('default'),
  flag('optional'),
]);
