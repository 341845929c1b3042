/** This is true if npm installed the packed program into node_modules; otherwise the program runs from a clone. */
const IS_INSTALLED = import.meta.url.includes('/node_modules/');

/**
 * Returns a Gatehouse command for a shell in the folder of the clone, or in the folder in which the package is
 * installed.
 */
export const commandLine = (words: string): string =>
  IS_INSTALLED ? `npx gatehouse ${words}` : `npm run gatehouse -- ${words}`;

export const START_COMMAND = IS_INSTALLED ? 'npx gatehouse serve' : 'npm start';
