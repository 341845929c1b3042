import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import type { NumberedProblem } from '../../directory-transfer/index.ts';
import { InstallationError } from '../../installation/installation.ts';
import { csvLine } from '../../system-log/index.ts';

/** Formats problems as CSV lines that no spreadsheet interprets as formulas (`csvLine`). */
const lines = (problems: readonly NumberedProblem[]): string =>
  problems.map(({ field, reason, row }) => csvLine([String(row), field, reason])).join('');

async function openNew(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'w', 0o600);
  } catch (error) {
    throw new InstallationError(`${path} can't be written: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Writes problems to a file, completely or not at all. Returns their number. If there are none, removes the file. */
export async function writeProblems(
  path: string,
  problems: AsyncIterable<readonly NumberedProblem[]>,
): Promise<number> {
  const written = `${path}.${process.pid}.part`;
  const file = await openNew(written);
  let count = 0;
  try {
    await file.write(csvLine(['row', 'field', 'reason']));
    for await (const page of problems) {
      count += page.length;
      if (page.length > 0) await file.write(lines(page));
    }
    await file.datasync();
  } catch (error) {
    await file.close();
    await rm(written, { force: true });
    throw error;
  }
  await file.close();
  if (count > 0) await rename(written, path);
  else await Promise.all([rm(written), rm(path, { force: true })]);
  return count;
}
