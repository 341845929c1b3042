import { invalid } from '../../../kernel/errors/errors.ts';
import { tooMany } from '../../../kernel/errors/field-errors.ts';

/** The word that stands for all zones of the org. */
export const ALL_ZONES = 'ALL_ZONES';

/** The network from which a token may be used. `include` and `exclude` contain ids of zones, or `ALL_ZONES`. */
export interface TokenNetwork {
  readonly connection: 'ANYWHERE' | 'ZONE';
  readonly include?: readonly string[];
  readonly exclude?: readonly string[];
}

export const ANYWHERE: TokenNetwork = { connection: 'ANYWHERE' };

export interface NetworkInput {
  readonly connection?: string;
  readonly include?: readonly string[] | null;
  readonly exclude?: readonly string[] | null;
}

const MAXIMUM_ZONES = 100;

/** Removes duplicates and empty lists. */
export function readNetwork(input: NetworkInput): TokenNetwork {
  const include = [...new Set(input.include ?? [])];
  const exclude = [...new Set(input.exclude ?? [])];
  const connection = input.connection ?? 'ANYWHERE';
  if (connection === 'ANYWHERE') {
    if (include.length + exclude.length === 0) return ANYWHERE;
    throw invalid('network', 'must not have zones for the connection ANYWHERE.');
  }
  if (connection !== 'ZONE') throw invalid('network', 'must have the connection ANYWHERE or ZONE.');
  if (include.length + exclude.length === 0) throw invalid('network', 'must have zones for the connection ZONE.');
  if (include.length + exclude.length > MAXIMUM_ZONES) {
    throw tooMany('network', MAXIMUM_ZONES, 'zones');
  }
  return {
    connection,
    ...(include.length === 0 ? {} : { include }),
    ...(exclude.length === 0 ? {} : { exclude }),
  };
}

export const zonesOf = ({ exclude = [], include = [] }: TokenNetwork): readonly string[] =>
  [...new Set([...include, ...exclude])].filter((id) => id !== ALL_ZONES);

const names = (zones: readonly string[], at: readonly string[]): boolean =>
  zones.includes(ALL_ZONES) ? at.length > 0 : zones.some((id) => at.includes(id));

/** `zoneIds` is null if the client's address is unknown. */
export function isAllowedFrom(network: TokenNetwork, zoneIds: readonly string[] | null): boolean {
  if (network.connection === 'ANYWHERE') return true;
  if (zoneIds === null) return false;
  const { exclude = [], include = [] } = network;
  return (include.length === 0 || names(include, zoneIds)) && !names(exclude, zoneIds);
}
