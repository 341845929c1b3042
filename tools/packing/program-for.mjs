/**
 * Path in the build of the program that runs these arguments of `gatehouse`. The process that watches over a server stays
 * for as long as that serves: it does without what the other commands need.
 */
export const programFor = ([command, ...rest]) =>
  command === 'serve' && rest.length === 0 ? ['process', 'start.js'] : ['cli', 'gatehouse.js'];
