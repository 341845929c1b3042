import { createHash } from 'node:crypto';

/** Builds an export with a valid digest, as an attacker could. `lines` contains the export without its last line. */
export function resealedExport(lines: readonly string[]): string {
  const body = `${lines.join('\n')}\n`;
  const sha256 = createHash('sha256').update(body).digest('hex');
  return `${body}${JSON.stringify({ rows: lines.length - 1, sha256 })}\n`;
}
