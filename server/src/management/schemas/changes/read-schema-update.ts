import { invalidObject } from '../../../kernel/errors/errors.ts';
import { tooMany } from '../../../kernel/errors/field-errors.ts';
import type { CustomAttribute } from '../attributes/attribute.ts';
import type { BaseOverrides } from '../attributes/base-profile.ts';
import type { ReadingOptions } from '../attributes/read-attribute.ts';
import { type BaseUpdate, readBaseUpdate } from './read-base-update.ts';
import { type CustomState, type CustomUpdate, readCustomUpdate } from './read-custom-update.ts';

/** Members that are not listed here are ignored. */
export interface SchemaUpdate {
  readonly definitions?:
    | { readonly base?: BaseUpdate | undefined; readonly custom?: CustomUpdate | undefined }
    | undefined;
}

export interface SchemaChanges {
  readonly overrides: BaseOverrides;
  readonly custom: readonly CustomAttribute[];
  readonly removed: readonly CustomAttribute[];
}

const MAXIMUM_NAMED = 1_000;

function assertFew({ definitions }: SchemaUpdate): void {
  const { base, custom } = definitions ?? {};
  const counts = {
    'definitions.custom.properties': Object.keys(custom?.properties ?? {}).length,
    'definitions.base.properties': Object.keys(base?.properties ?? {}).length,
    'definitions.base.required': base?.required?.length ?? 0,
  };
  for (const [field, count] of Object.entries(counts)) {
    if (count > MAXIMUM_NAMED) throw tooMany(field, MAXIMUM_NAMED);
  }
}

/** Reads a partial update, in which null removes a custom attribute. */
export function readSchemaUpdate(
  update: SchemaUpdate,
  state: CustomState & { readonly overrides: BaseOverrides },
  options: ReadingOptions,
): SchemaChanges {
  assertFew(update);
  const base = readBaseUpdate(update.definitions?.base ?? {}, state.base, state.overrides, options);
  const { causes, custom, removed } = readCustomUpdate(update.definitions?.custom ?? {}, state, options);
  const all = [...base.causes, ...causes];
  if (all.length > 0) throw invalidObject('definitions', all);
  return { overrides: base.overrides, custom, removed };
}
