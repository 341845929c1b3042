export { createGeography, type Geography, GeographyError } from './geography.ts';
