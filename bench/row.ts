import type { Result } from './result.ts';
import type { Sizes } from './sizes.ts';

export interface RowOptions {
  readonly sizes: Sizes;
  /** Whether both sides use plain HTTP with the header of a trusted proxy instead of HTTPS. */
  readonly plain: boolean;
  /** Folder for CPU profiles of the product; profiled figures are lower than unprofiled ones. */
  readonly profileDirectory: string | undefined;
}

/** One subject of the benchmarks; it creates and removes everything that it needs. */
export interface Row {
  readonly name: string;
  /** Describes the measurement in a few words for the reader of the figures. */
  readonly settings: (options: RowOptions) => string;
  readonly run: (options: RowOptions) => Promise<readonly Result[]>;
}

/** Describes how both sides of an HTTP row receive their requests. */
export const protocolOf = ({ plain, sizes }: RowOptions): string =>
  `${plain ? 'plain HTTP as from a trusted proxy' : 'HTTPS'} with keep-alive on both sides, ` +
  `${sizes.connections} connections`;
