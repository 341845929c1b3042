/** A command of Gatehouse as it can be pasted into a shell, in the folder of the clone. */
export const commandLine = (words: string): string => `npm run gatehouse -- ${words}`;
