import type { Context } from '../../kernel/context.ts';
import type { Version } from '../../kernel/version.ts';
import { changeTarget, type Target } from '../../system-log/index.ts';
import type { Side } from './rules.ts';
import type { Definition } from './store.ts';

const wireSide = ({ description, name, title }: Side) => ({ name, title, description, type: 'USER' });

export const wireDefinition = ({ associated, primary }: Definition, context: Context): Record<string, unknown> => ({
  primary: wireSide(primary),
  associated: wireSide(associated),
  _links: { self: { href: `${context.baseUrl}/api/v1/meta/schemas/user/linkedObjects/${primary.name}` } },
});

export const wireLinkedUser = (userId: string, context: Context): Record<string, unknown> => ({
  _links: { self: { href: `${context.baseUrl}/api/v1/users/${userId}` } },
});

export const definitionVersion = ({ primary, revision }: Definition): Version => ({
  kind: 'linkedObject',
  id: primary.name,
  revision,
});

const definitionTarget = ({ primary }: Definition): Target => ({
  id: primary.name,
  type: 'LinkedObject',
  alternateId: primary.name,
  displayName: primary.title,
});

export const definitionChange = changeTarget(definitionTarget, ({ associated, primary }) => ({
  primary: { ...primary },
  associated: { ...associated },
}));
