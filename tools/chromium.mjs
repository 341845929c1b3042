import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

const found = () => [process.env.CHROMIUM_PATH, ...PLACES].find((path) => path !== undefined && existsSync(path));

const apt = (...args) => {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  return spawnSync('apt-get', args, { stdio: ['ignore', 2, 2], env }).status === 0;
};

/**
 * Returns the path of Chromium or Chrome, or undefined if there is none. If both are missing, installs Chromium (as
 * root, on Debian).
 */
export function findChromium() {
  const path = found();
  if (path !== undefined || process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return path;
  console.log('No Chromium here: installing it from Debian ...');
  if (apt('-qq', 'update')) apt('-qq', 'install', '-y', '--no-install-recommends', 'chromium');
  return found();
}
