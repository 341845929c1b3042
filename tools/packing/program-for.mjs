/** `serve` keeps running, so it must not load code that only other commands need. */
export const programFor = ([command, ...rest]) =>
  command === 'serve' && rest.length === 0 ? ['process', 'start.js'] : ['cli', 'gatehouse.js'];
