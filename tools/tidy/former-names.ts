import type { Setting } from '../../server/src/settings/settings.ts';

const RELEASE = /^\d+\.\d+\.\d+$/;

const isLater = (release: string, version: string): boolean =>
  release.localeCompare(version, 'en', { numeric: true }) > 0;

/**
 * Returns a sentence for each former name that is at fault: it has expired by the release `version`, names two
 * settings, or has an invalid `until`.
 */
export function faultyFormerNames(settings: readonly Setting<unknown>[], version: string): string[] {
  const rows = settings.flatMap(({ formerly }) => formerly ?? []);
  const names = [...settings, ...rows].map(({ name }) => name);
  return rows.flatMap(({ name, until }) => {
    if (!RELEASE.test(until)) return [`${name}: "${until}" is no release; write it as 1.2.0`];
    if (!isLater(until, version)) return [`${name}: release ${until} refuses it, so delete "formerly" from its row`];
    if (names.filter((other) => other === name).length > 1) return [`${name}: names two settings`];
    return [];
  });
}
