import type { ErrorCause } from '../../../kernel/errors/errors.ts';
import type { CustomAttribute, LeavingAttribute, ProfileSchema } from '../attributes/attribute.ts';
import { type ReadingOptions, readAttribute } from '../attributes/read-attribute.ts';
import type { AttributeDefinition } from '../attributes/wire-attribute.ts';
import { isSame } from './read-base-update.ts';

export interface CustomUpdate {
  readonly properties?: Readonly<Record<string, AttributeDefinition | null>> | undefined;
}

export interface CustomState {
  readonly base: ProfileSchema;
  readonly custom: readonly CustomAttribute[];
  readonly leaving: readonly LeavingAttribute[];
  /** The attributes of the other user types. Attributes of the same name have the same number and type everywhere. */
  readonly elsewhere: readonly CustomAttribute[];
  readonly leavingElsewhere: readonly LeavingAttribute[];
}

export interface CustomChanges {
  readonly custom: readonly CustomAttribute[];
  readonly removed: readonly CustomAttribute[];
  readonly causes: readonly ErrorCause[];
}

const FIRST_CUSTOM_ID = 10_000;
export const MAXIMUM_ATTRIBUTES = 500;
/** The maximum number of unique attributes of a user type (contract section 15). */
const MAXIMUM_UNIQUE = 5;
const NAME = /^[A-Za-z_][A-Za-z\d_]{0,99}$/;

export const isAttributeName = (name: string): boolean => NAME.test(name);

type Removed = readonly CustomAttribute[];

/** The number of an attribute that the update removes is not used, because the index may still contain its values. */
function nextAttributeId({ custom, elsewhere, leaving, leavingElsewhere }: CustomState, removed: Removed): number {
  const known = [...custom, ...elsewhere, ...leaving, ...leavingElsewhere, ...removed];
  const taken = known.map(({ attributeId }) => attributeId);
  return Math.max(FIRST_CUSTOM_ID - 1, ...taken) + 1;
}

function problemOfName(name: string, state: CustomState): string | null {
  if (!isAttributeName(name)) {
    return 'A name begins with a letter or _ and has at most 100 letters, digits and _.';
  }
  const isLike = (other: string): boolean => other.toLowerCase() === name.toLowerCase();
  if ([...state.base.keys()].some(isLike)) return 'There is a base attribute of this name.';
  const like = state.custom.find((other) => isLike(other.name));
  if (like !== undefined) return `There is an attribute ${like.name} already: names must differ by more than case.`;
  const leaves = [...state.leaving, ...state.leavingElsewhere].some((other) => other.name === name);
  if (leaves) return 'An attribute of this name is still being removed: try again in a moment.';
  return state.custom.length >= MAXIMUM_ATTRIBUTES ? `A schema has at most ${MAXIMUM_ATTRIBUTES} attributes.` : null;
}

function problemElsewhere({ definition, name }: CustomAttribute, state: CustomState): string | null {
  const other = state.elsewhere.find((known) => known.name === name)?.definition;
  if (other === undefined) return null;
  const isAlike = other.type === definition.type && other.items?.type === definition.items?.type;
  return isAlike ? null : 'Another user type has an attribute of this name with another type.';
}

type Step = { readonly state: CustomState; readonly problems: readonly string[] };

function addOrChange(
  [name, given]: readonly [string, AttributeDefinition],
  state: CustomState,
  removed: Removed,
  options: ReadingOptions,
): Step {
  const current = state.custom.find((known) => known.name === name) ?? null;
  const named = current === null ? problemOfName(name, state) : null;
  if (named !== null) return { state, problems: [named] };
  const { definition, problems } = readAttribute(given, current?.definition ?? null, options);
  const known = state.elsewhere.find((other) => other.name === name);
  const attributeId = current?.attributeId ?? known?.attributeId ?? nextAttributeId(state, removed);
  const attribute: CustomAttribute = { name, attributeId, definition };
  const clash = problems.length > 0 ? null : problemElsewhere(attribute, state);
  const custom =
    current === null ? [...state.custom, attribute] : state.custom.map((one) => (one.name === name ? attribute : one));
  return { state: { ...state, custom }, problems: clash === null ? problems : [clash] };
}

/** Null removes an attribute. Removing a missing one changes nothing. */
export function readCustomUpdate(update: CustomUpdate, before: CustomState, options: ReadingOptions): CustomChanges {
  let state = before;
  const causes: string[] = [];
  const removed: CustomAttribute[] = [];
  // Removals come first, so that removed attributes do not conflict with attributes that the same update adds.
  const entries = Object.entries(update.properties ?? {});
  for (const [name, given] of entries) {
    if (given !== null) continue;
    removed.push(...state.custom.filter((known) => known.name === name));
    state = { ...state, custom: state.custom.filter((known) => known.name !== name) };
  }
  for (const [name, given] of entries) {
    if (given === null) continue;
    const step = addOrChange([name, given], state, removed, options);
    state = step.state;
    causes.push(...step.problems.map((problem) => `${name}: ${problem}`));
  }
  const unique = state.custom.filter(({ definition }) => definition.unique === true).length;
  if (unique > MAXIMUM_UNIQUE) causes.push(`unique: A user type has at most ${MAXIMUM_UNIQUE} unique attributes.`);
  const custom = isSame(state.custom, before.custom) ? before.custom : state.custom;
  return { custom, removed, causes: causes.map((errorSummary) => ({ errorSummary })) };
}
