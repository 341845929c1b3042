import type { ErrorCause } from '../../../kernel/errors/errors.ts';
import { mustBeOfType } from '../../../kernel/errors/problems.ts';
import type { ProfileAttribute, ProfileSchema } from '../attributes/attribute.ts';
import { type BaseOverride, type BaseOverrides, profileSchema } from '../attributes/base-profile.ts';
import { problemOfPattern } from '../attributes/patterns.ts';
import type { ReadingOptions } from '../attributes/read-attribute.ts';
import { readMaster, readPermission } from '../attributes/read-permission.ts';
import { type AttributeDefinition, wireAttribute } from '../attributes/wire-attribute.ts';
import type { Problems } from '../reading.ts';

/** Members that are not listed here are ignored. */
export interface BaseUpdate {
  readonly properties?: Readonly<Record<string, AttributeDefinition | null>> | undefined;
  readonly required?: readonly string[] | undefined;
}

/** The base attributes that an org may make optional (specification 2.4). */
const NULLABLE_ATTRIBUTES: readonly string[] = ['firstName', 'lastName'];
const isNullable = (name: string): boolean => NULLABLE_ATTRIBUTES.includes(name);

/** The order of members does not matter. */
export function isSame(one: unknown, other: unknown): boolean {
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return one === other;
  const keys = Object.keys(one);
  return (
    Array.isArray(one) === Array.isArray(other) &&
    keys.length === Object.keys(other).length &&
    keys.every((key) => Object.hasOwn(other, key) && isSame(Reflect.get(one, key), Reflect.get(other, key)))
  );
}

const own = (members: AttributeDefinition, name: string): unknown =>
  Object.hasOwn(members, name) ? members[name] : undefined;

/** Sending the default value of `master` is not a change. */
const isDefaultMaster = (key: string, value: unknown): boolean =>
  key === 'master' && isSame(value, { type: 'PROFILE_MASTER' });

const isChangeable = (name: string, key: string, { kind }: ReadingOptions): boolean =>
  kind === 'USER' &&
  (key === 'permissions' || key === 'master' || (key === 'pattern' && name === 'login') || isRequiredOf(name, key));
const isRequiredOf = (name: string, key: string): boolean => key === 'required' && isNullable(name);

/** Some clients send an empty list for attributes without choices. */
const isEmptyChoice = (key: string, value: unknown): boolean =>
  (key === 'enum' || key === 'oneOf') && Array.isArray(value) && value.length === 0;

function isChanged(key: string, value: unknown, printed: AttributeDefinition): boolean {
  const current = own(printed, key);
  if (key === 'required') return (value ?? false) !== (current ?? false);
  // Clients that read and write back whole definitions send null for members that are not set.
  if (value === null || isEmptyChoice(key, value)) return current !== undefined;
  return !isSame(value, current) && !isDefaultMaster(key, value);
}

const permissionOverride = (name: string, action: ProfileAttribute['permissions'][0]['action']): BaseOverride => {
  const builtIn: ProfileAttribute | undefined = profileSchema().get(name);
  return builtIn?.permissions[0].action === action ? {} : { permission: action };
};

function readPattern(problems: Problems, value: unknown): BaseOverride {
  if (value === null || value === '') return {};
  const problem = typeof value === 'string' ? problemOfPattern(value) : 'must be a text.';
  if (problem !== null) problems.push(`pattern ${problem}`);
  return typeof value === 'string' ? { pattern: value } : {};
}

function readOverride(
  problems: Problems,
  name: string,
  given: AttributeDefinition,
  current: { readonly override: BaseOverride; readonly definition: ProfileAttribute },
  options: ReadingOptions,
): BaseOverride {
  const { definition, override } = current;
  const [permissions, master, pattern] = ['permissions', 'master', 'pattern'].map((key) => own(given, key));
  const { master: had, pattern: hadPattern, permission } = override;
  const action = readPermission(problems, permissions ?? undefined, definition.permissions[0].action);
  const mastered = master === undefined ? (had ?? null) : readMaster(problems, master ?? undefined, options.upperWord);
  return {
    ...(permissions === undefined
      ? permission === undefined
        ? {}
        : { permission }
      : permissionOverride(name, action)),
    ...(mastered === null ? {} : { master: mastered }),
    ...(pattern === undefined
      ? hadPattern === undefined
        ? {}
        : { pattern: hadPattern }
      : readPattern(problems, pattern)),
  };
}

/** An update can state twice whether an attribute is required. The value that differs from the current one counts. */
function requiredAfter(name: string, update: BaseUpdate, now: boolean): boolean {
  const properties = update.properties ?? {};
  const given = Object.hasOwn(properties, name) ? own(properties[name] ?? {}, 'required') : undefined;
  const listed = update.required?.includes(name);
  return [given, listed].some((said) => typeof said === 'boolean' && said !== now) ? !now : now;
}

const isRequired = (base: ProfileSchema, name: string): boolean => base.get(name)?.required === true;

function requiredProblems(required: readonly string[], base: ProfileSchema, options: ReadingOptions): string[] {
  const isFree = (name: string): boolean => isChangeable(name, 'required', options);
  const missing = [...base.keys()].filter(
    (name) => isRequired(base, name) && !isFree(name) && !required.includes(name),
  );
  const unknown = required.filter((name) => !isRequired(base, name) && !(isFree(name) && base.has(name)));
  return [
    ...missing.map((name) => `required: ${name} is always required.`),
    ...unknown.map((name) => `required: ${name} cannot be required.`),
  ];
}

export function readBaseUpdate(
  update: BaseUpdate,
  base: ProfileSchema,
  current: BaseOverrides,
  options: ReadingOptions,
): { readonly overrides: BaseOverrides; readonly causes: readonly ErrorCause[] } {
  const causes: string[] = [];
  const overrides = new Map(Object.entries(current));
  for (const [name, given] of Object.entries(update.properties ?? {})) {
    const definition = base.get(name);
    if (definition === undefined) causes.push(`${name}: There is no base attribute of this name.`);
    else if (given === null) causes.push(`${name}: A base attribute cannot be removed.`);
    else {
      const problems: Problems = [];
      const printed = wireAttribute(definition, options.kind, options.upperWord);
      for (const [key, value] of Object.entries(given)) {
        if (isChangeable(name, key, options)) {
          if (key === 'required' && value !== null && typeof value !== 'boolean')
            problems.push(`required ${mustBeOfType('true or false')}`);
        } else if (isChanged(key, value, printed)) problems.push(`${key} of a base attribute cannot be changed.`);
      }
      const override = overrides.get(name) ?? {};
      overrides.set(name, readOverride(problems, name, given, { definition, override }, options));
      causes.push(...problems.map((problem) => `${name}: ${problem}`));
    }
  }
  if (update.required !== undefined) causes.push(...requiredProblems(update.required, base, options));
  for (const name of options.kind === 'USER' ? NULLABLE_ATTRIBUTES : []) {
    const { required: _required, ...others } = overrides.get(name) ?? {};
    const isNeeded = requiredAfter(name, update, isRequired(base, name));
    overrides.set(name, isNeeded ? others : { ...others, required: false });
  }
  const kept = [...overrides].filter(([, override]) => Object.keys(override).length > 0);
  return { overrides: Object.fromEntries(kept), causes: causes.map((errorSummary) => ({ errorSummary })) };
}
