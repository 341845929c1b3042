import type { Duel } from './duel.ts';
import type { Result } from './result.ts';
import type { Sizes } from './sizes.ts';

export interface RowOptions {
  readonly sizes: Sizes;
  /** Whether both sides use plain HTTP instead of HTTPS. */
  readonly plain: boolean;
  /** The product is slower while it is profiled. */
  readonly profileDirectory: string | undefined;
  /** The build to measure: a folder with `server/dist`. */
  readonly build: string;
  readonly node: string;
}

export interface Row {
  readonly name: string;
  /** Describes the conditions of the measurement in a few words for the reader of the figures. */
  readonly settings: (options: RowOptions) => string;
  readonly run: (options: RowOptions) => Promise<readonly Result[]>;
  /** This is set if the row is a duel. Two builds can then take turns at it. */
  readonly duel?: Duel;
}

export const protocolOf = ({ plain, sizes }: RowOptions): string =>
  `${plain ? 'plain HTTP as from a trusted proxy' : 'HTTPS'} with keep-alive on both sides, ` +
  `${sizes.connections} connections`;
