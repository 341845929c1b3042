// `npm start` installs packages and builds the server if necessary, and then runs the server.
import { launch } from './launch.mjs';
import { endWithNpm } from './packing/end-with-npm.mjs';

endWithNpm();
await launch('process', 'start.js');
