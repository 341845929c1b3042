import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface SmallDisk {
  readonly path: string;
  fill(): void;
  free(): void;
  remove(): void;
}

const BLOCK_BYTES = 65_536;

/**
 * Mounts a tmpfs of this size, for example `48m`. Returns null if that fails, for example because only root may mount.
 */
export function openSmallDisk(size: string): SmallDisk | null {
  const directory = mkdtempSync(join(tmpdir(), 'gatehouse-small-disk-'));
  const path = join(directory, 'disk');
  mkdirSync(path);
  try {
    execFileSync('/bin/mount', ['-t', 'tmpfs', '-o', `size=${size},mode=755`, 'tmpfs', path], { stdio: 'ignore' });
  } catch {
    rmSync(directory, { recursive: true });
    return null;
  }
  chmodSync(directory, 0o755);
  const filler = join(path, 'filler');
  return {
    path,
    fill: () => {
      try {
        for (let block = 0; ; block += 1) writeFileSync(filler, Buffer.alloc(BLOCK_BYTES, block), { flag: 'a' });
      } catch {
        // This error means that the disk is full, as intended.
      }
    },
    free: () => rmSync(filler),
    remove: () => {
      // A process that was just killed may still use the disk.
      execFileSync('/bin/umount', ['--lazy', path]);
      rmSync(directory, { recursive: true });
    },
  };
}
