import { revokeTokensOfUser } from './management/api-tokens/index.ts';
import { createDefaultPolicies } from './management/policies/index.ts';
import { createDefaultUserType } from './management/schemas/index.ts';
import { createDefaultZones } from './management/zones/index.ts';
import type { Reactions } from './platform/postgres/index.ts';
import type { NewEvent } from './system-log/index.ts';

/**
 * What one area's event does to another, in order, in the same transaction. Nothing else couples the slices.
 */
export const REACTIONS: Reactions<NewEvent> = {
  'system.org.lifecycle.create': [createDefaultUserType, createDefaultZones, createDefaultPolicies],
  'user.lifecycle.deactivate': [revokeTokensOfUser],
};
