// `npm start`: everything from a fresh clone to a running server.
import { launch } from './launch.mjs';

await launch('start.js');
