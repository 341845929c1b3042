/** The exit codes of our programs. `fault` means that an uncaught error ended a serving process. */
export const EXIT = { failure: 1, usage: 2, fault: 70 } as const;
