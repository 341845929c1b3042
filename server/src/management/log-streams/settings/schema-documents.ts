import type { Context } from '../../../kernel/context.ts';
import { notFound } from '../../../kernel/errors/errors.ts';
import { type Document, textDocument } from './member-rules.ts';
import { NAME_PATTERN } from './name-rules.ts';
import { findStreamType } from './settings-rules.ts';
import { LOG_STREAM_TYPES, type LogStreamType, STREAM_TYPES } from './stream-types-rules.ts';

function documentOf(type: LogStreamType, { baseUrl }: Context): Document {
  const { errors, members, required, title } = STREAM_TYPES[type];
  const id = `${baseUrl}/api/v1/meta/schemas/logStream/${type}`;
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: id,
    // The documents in the contract contain either `$id` or `id`, so these contain both.
    id,
    title,
    type: 'object',
    properties: {
      name: textDocument('Name', 'Name of the log stream.', { pattern: NAME_PATTERN }),
      settings: {
        description: `Settings of ${title}`,
        type: 'object',
        properties: members,
        required,
        errorMessage: { properties: errors },
      },
    },
    required: ['name', 'settings'],
    errorMessage: { properties: { name: 'A name has at most 100 characters.' } },
    _links: { self: { href: id, method: 'GET' } },
  };
}

export const logStreamSchemas = (context: Context): Document[] =>
  LOG_STREAM_TYPES.map((type) => documentOf(type, context));

export function getLogStreamSchema(context: Context, name: string): Document {
  const type = findStreamType(name);
  if (type === undefined) throw notFound(name, 'LogStreamSchema');
  return documentOf(type, context);
}
