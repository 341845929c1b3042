/** npm installs the packed program into node_modules, where there is no clone. */
const IS_INSTALLED = import.meta.url.includes('/node_modules/');

/** A command of Gatehouse as it can be pasted into a shell, in the folder of the clone or of the installed package. */
export const commandLine = (words: string): string =>
  IS_INSTALLED ? `npx gatehouse ${words}` : `npm run gatehouse -- ${words}`;

/** The command that starts the server. */
export const START_COMMAND = IS_INSTALLED ? 'npx gatehouse serve' : 'npm start';
