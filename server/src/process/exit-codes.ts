/** Exit codes of every program of ours; `fault`: a fault of ours that nobody caught ended a serving process. */
export const EXIT = { failure: 1, usage: 2, fault: 70 } as const;
