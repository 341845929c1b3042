import type { Master, ProfileAttribute } from './attribute.ts';

export type AttributeDefinition = Readonly<Record<string, unknown>>;

export type SchemaKind = 'USER' | 'GROUP' | 'APP_USER';

const present = (members: AttributeDefinition): AttributeDefinition =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));

function wireMaster(master: Master | undefined, upperWord: string): unknown {
  if (master === undefined) return undefined;
  if (master.type === 'INTERNAL') return { type: upperWord };
  const priority = master.priority.map(({ type, value }) => ({ type: type === 'INTERNAL' ? upperWord : type, value }));
  return { type: master.type, priority };
}

/** Leaves out members that are not set and, for app users, `mutability` and `permissions`. */
export function wireAttribute(definition: ProfileAttribute, kind: SchemaKind, upperWord: string): AttributeDefinition {
  const { items, union, unique } = definition;
  const isPrinted = kind !== 'APP_USER';
  return present({
    title: definition.title,
    description: definition.description,
    type: definition.type,
    required: definition.required ? true : undefined,
    unique: unique === true ? 'UNIQUE_VALIDATED' : undefined,
    externalName: definition.externalName,
    externalNamespace: definition.externalNamespace,
    format: definition.format,
    mutability: isPrinted ? definition.mutability : undefined,
    scope: definition.scope,
    minLength: definition.minLength,
    maxLength: definition.maxLength,
    minimum: definition.minimum,
    maximum: definition.maximum,
    pattern: definition.pattern,
    enum: definition.enum,
    oneOf: definition.oneOf,
    items: items === undefined ? undefined : { ...items },
    default: definition.default,
    permissions: isPrinted ? definition.permissions : undefined,
    master: wireMaster(definition.master, upperWord),
    union: union === true ? 'ENABLE' : undefined,
  });
}
