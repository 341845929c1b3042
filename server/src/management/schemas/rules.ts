import { type ErrorCause, invalid } from '../../kernel/errors.ts';

/** What an org may change of the base attributes: whether these two are required (specification 2.4). */
export const NULLABLE_ATTRIBUTES = ['firstName', 'lastName'] as const;
export type NullableAttribute = (typeof NULLABLE_ATTRIBUTES)[number];
export type RequiredOverrides = Readonly<Partial<Record<NullableAttribute, { readonly required: boolean }>>>;

export type AttributeDefinition = Readonly<Record<string, unknown>>;
export type BaseDefinitions = Readonly<Record<string, AttributeDefinition>>;

/** The part of an update's body that is read; everything else of it is ignored. */
export interface SchemaUpdate {
  readonly definitions?: {
    readonly base?: {
      readonly properties?: Readonly<Record<string, AttributeDefinition | null>>;
      readonly required?: readonly string[];
    };
    readonly custom?: { readonly properties?: Readonly<Record<string, unknown>> };
  };
}

const isNullable = (name: string): name is NullableAttribute => NULLABLE_ATTRIBUTES.some((known) => known === name);

/** Equal as JSON: order of members is none of a client's concern. */
function isSame(one: unknown, other: unknown): boolean {
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return one === other;
  const keys = Object.keys(one);
  return (
    Array.isArray(one) === Array.isArray(other) &&
    keys.length === Object.keys(other).length &&
    keys.every((key) => Object.hasOwn(other, key) && isSame(Reflect.get(one, key), Reflect.get(other, key)))
  );
}

/** Where a value is mastered can't be chosen, so saying that it is the profile is no change. */
const isDefaultMaster = (key: string, value: unknown): boolean =>
  key === 'master' && isSame(value, { type: 'PROFILE_MASTER' });

function attributeProblems(name: string, given: AttributeDefinition, current: AttributeDefinition): ErrorCause[] {
  return Object.entries(given)
    .filter(([key, value]) => {
      if (key === 'required') return isNullable(name) ? typeof value !== 'boolean' : value !== (current[key] ?? false);
      // Clients that read and write back whole definitions say null where nothing is set.
      if (value === null) return current[key] !== undefined;
      return !isSame(value, current[key]) && !isDefaultMaster(key, value);
    })
    .map(([key]) => ({ errorSummary: `${name}: ${key} of a base attribute cannot be changed.` }));
}

function propertyProblems(update: SchemaUpdate, current: BaseDefinitions): ErrorCause[] {
  const properties = update.definitions?.base?.properties ?? {};
  return Object.entries(properties).flatMap(([name, given]) => {
    const known = Object.hasOwn(current, name) ? current[name] : undefined;
    if (known === undefined) return [{ errorSummary: `${name}: There is no base attribute of this name.` }];
    if (given === null) return [{ errorSummary: `${name}: A base attribute cannot be removed.` }];
    return attributeProblems(name, given, known);
  });
}

const isRequired = (definition: AttributeDefinition | undefined): boolean => definition?.['required'] === true;

function requiredProblems(required: readonly string[], current: BaseDefinitions): ErrorCause[] {
  const missing = Object.keys(current).filter(
    (name) => !isNullable(name) && isRequired(current[name]) && !required.includes(name),
  );
  const unknown = required.filter(
    (name) => !isNullable(name) && !(Object.hasOwn(current, name) && isRequired(current[name])),
  );
  return [
    ...missing.map((name) => ({ errorSummary: `required: ${name} is always required.` })),
    ...unknown.map((name) => ({ errorSummary: `required: ${name} cannot be required.` })),
  ];
}

/**
 * Whether an attribute is required after an update that may say so twice. Clients change one of the two and send the
 * other back as it was, so whichever differs from what is in force counts.
 */
function requiredAfter(name: NullableAttribute, update: SchemaUpdate, now: boolean): boolean {
  const base = update.definitions?.base;
  const properties = base?.properties ?? {};
  const given = Object.hasOwn(properties, name) ? properties[name]?.['required'] : undefined;
  const listed = base?.required?.includes(name);
  return [given, listed].some((said) => typeof said === 'boolean' && said !== now) ? !now : now;
}

/**
 * What an update asks for, given the base attributes in force. 400 E0000001 with a cause for each change that is not
 * possible: only whether firstName and lastName are required can be changed; saying what is so already is no change.
 */
export function readSchemaUpdate(update: SchemaUpdate, current: BaseDefinitions): RequiredOverrides {
  const custom = Object.keys(update.definitions?.custom?.properties ?? {});
  const required = update.definitions?.base?.required;
  const causes = [
    ...custom.map((name) => ({ errorSummary: `${name}: Custom attributes are not available yet.` })),
    ...propertyProblems(update, current),
    ...(required === undefined ? [] : requiredProblems(required, current)),
  ];
  if (causes.length > 0) throw invalid('definitions', ...causes);
  return Object.fromEntries(
    NULLABLE_ATTRIBUTES.map((name) => [name, { required: requiredAfter(name, update, isRequired(current[name])) }]),
  );
}
