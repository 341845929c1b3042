// `npm run gatehouse -- <command>`: the command line of a clone.
import { launch } from './launch.mjs';

await launch('cli', 'gatehouse.js');
