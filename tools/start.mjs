// `npm start`: everything from a fresh clone to a running server.
import { endWithNpm } from './end-with-npm.mjs';
import { launch } from './launch.mjs';

endWithNpm();
await launch('process', 'start.js');
