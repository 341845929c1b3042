// `npm run gatehouse -- <command>`: the command line of a clone.
import { launch } from './launch.mjs';

// What watches over a server stays for as long as that serves: it does without what the other commands need.
const [, , command, ...rest] = process.argv;
await (command === 'serve' && rest.length === 0 ? launch('process', 'start.js') : launch('cli', 'gatehouse.js'));
