import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export function productSources(): string[] {
  const root = fileURLToPath(new URL('../../src/', import.meta.url));
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
    .map((path) => readFileSync(`${root}${path}`, 'utf8'));
}
