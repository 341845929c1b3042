import { type PackedPage, type PackedSegment, Packer, type PackStart } from './packer.ts';
import type { UnsealedRow } from './unsealed-row.ts';

/** A request to the thread that packs. A page with `start` begins a new segment and drops the one before. */
export type PackRequest =
  | { readonly kind: 'page'; readonly start: PackStart | null; readonly rows: readonly UnsealedRow[] }
  | { readonly kind: 'finish' };

export type PackAnswer = PackedPage | PackedSegment;

export type PackDesk = (request: PackRequest) => PackAnswer;

/** Creates a desk, which packs one segment at a time. */
export function createPackDesk(): PackDesk {
  let packer: Packer | null = null;
  return (request) => {
    if (request.kind === 'page' && request.start !== null) packer = new Packer(request.start);
    if (packer === null) throw new Error('no segment is being packed');
    if (request.kind === 'page') return packer.add(request.rows);
    const packed = packer.finish();
    packer = null;
    return packed;
  };
}
