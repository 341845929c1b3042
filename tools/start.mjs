// `npm start` takes a fresh clone to a running server.
import { launch } from './launch.mjs';
import { endWithNpm } from './packing/end-with-npm.mjs';

endWithNpm();
await launch('process', 'start.js');
