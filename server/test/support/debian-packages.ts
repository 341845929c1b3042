import { installPackages } from '../../../tools/debian-packages.ts';

/**
 * Installs the Debian packages that a test needs. Elsewhere than on Debian, or without the right to install them,
 * returns false and says what is not tested.
 */
export function hasPackages(what: string, packages: Readonly<Record<string, string>>): boolean {
  try {
    installPackages(packages);
    return true;
  } catch (error) {
    console.warn(`${what} is not tested, because it is missing and cannot be installed here:`, error);
    return false;
  }
}
