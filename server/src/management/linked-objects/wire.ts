import type { Context } from '../../kernel/context.ts';
import type { Version } from '../../kernel/version.ts';
import { changeTarget, type Target } from '../../system-log/index.ts';
import type { Side } from './rules.ts';
import type { Definition } from './store.ts';

const wireSide = ({ description, name, title }: Side) => ({ name, title, description, type: 'USER' });

/** A definition as the wire has it; its address is that of the primary's name. */
export const wireDefinition = ({ associated, primary }: Definition, context: Context): Record<string, unknown> => ({
  primary: wireSide(primary),
  associated: wireSide(associated),
  _links: { self: { href: `${context.baseUrl}/api/v1/meta/schemas/user/linkedObjects/${primary.name}` } },
});

/** A linked user: nothing but where it is. */
export const wireLinkedUser = (userId: string, context: Context): Record<string, unknown> => ({
  _links: { self: { href: `${context.baseUrl}/api/v1/users/${userId}` } },
});

/** What its entity tag stands for. */
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

/** The definition as events name it, with what became of it. */
export const definitionChange = changeTarget(definitionTarget, ({ associated, primary }) => ({
  primary: { ...primary },
  associated: { ...associated },
}));
