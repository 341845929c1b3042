import { invalid } from '../../../kernel/errors/errors.ts';
import { type Members, readChoice, readMembers } from '../../../kernel/words/members.ts';
import { type Shape } from '../types/document-rules.ts';
import { gather } from './gather-rules.ts';
import { readIds } from './shape-rules.ts';

const CONNECTIONS = ['ANYWHERE', 'ZONE', 'ON_NETWORK', 'OFF_NETWORK'] as const;

export const ALL_ZONES = 'ALL_ZONES';

const MAXIMUM_ZONES = 100;

/** `ON_NETWORK` means inside any zone of the org, and `OFF_NETWORK` means outside all zones. */
export interface NetworkCondition {
  readonly connection: (typeof CONNECTIONS)[number];
  readonly include: readonly string[];
  readonly exclude: readonly string[];
}

export const ANYWHERE: NetworkCondition = { connection: 'ANYWHERE', include: [], exclude: [] };

/** An absent condition allows any network. */
export function readNetwork(value: unknown): NetworkCondition {
  const place = 'conditions.network';
  const network = readMembers(place, value, ['connection', 'include', 'exclude']);
  const { connection, exclude, include } = gather<NetworkCondition>({
    connection: () => readChoice(`${place}.connection`, network['connection'], CONNECTIONS, 'ANYWHERE'),
    include: () => readIds(`${place}.include`, network['include'], MAXIMUM_ZONES),
    exclude: () => readIds(`${place}.exclude`, network['exclude'], MAXIMUM_ZONES),
  });
  const named = include.length + exclude.length;
  if (connection === 'ZONE' && named === 0)
    throw invalid(place, 'must name zones in include or exclude for the connection ZONE.');
  if (connection !== 'ZONE' && named > 0)
    throw invalid(place, 'must not have include or exclude unless the connection is ZONE.');
  return { connection, include, exclude };
}

export function wireNetwork({ connection, include, exclude }: NetworkCondition): Members {
  return {
    connection,
    ...(include.length > 0 ? { include } : {}),
    ...(exclude.length > 0 ? { exclude } : {}),
  };
}

export const zonesOf = ({ include, exclude }: NetworkCondition): string[] =>
  [...include, ...exclude].filter((id) => id !== ALL_ZONES);

export const networkShape: Shape<NetworkCondition> = {
  read: (_place, value) => readNetwork(value),
  write: (stored) => wireNetwork(stored),
  names: (stored, place) => zonesOf(stored).map((id) => ({ kind: 'zone', id, place })),
  settings: (place) => ['connection', 'include', 'exclude'].map((name) => `${place}.${name}`),
};
