/** A command of Gatehouse as it can be pasted into a shell, in the folder of the clone: the one way to start it today. */
export const commandLine = (words: string): string => `npm run gatehouse -- ${words}`;
