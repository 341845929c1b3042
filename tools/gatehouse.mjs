// `npm run gatehouse -- <command>` runs the command line of a clone.
import { launch } from './launch.mjs';
import { endWithNpm } from './packing/end-with-npm.mjs';
import { programFor } from './packing/program-for.mjs';

endWithNpm();
await launch(...programFor(process.argv.slice(2)));
