/** The address of a database and the user to connect as. The PostgreSQL driver has defaults for absent members. */
export interface ConnectionSettings {
  connectionString?: string;
  host?: string;
  port?: number;
  user?: string;
  password?: string;
  database?: string;
}
