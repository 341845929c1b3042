/**
 * Returns the path in the build of the program for these arguments of `gatehouse`. The process that supervises a server
 * lives as long as the server, so it must not load anything that only other commands need.
 */
export const programFor = ([command, ...rest]) =>
  command === 'serve' && rest.length === 0 ? ['process', 'start.js'] : ['cli', 'gatehouse.js'];
