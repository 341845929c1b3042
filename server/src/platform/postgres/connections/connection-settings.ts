/** The address of a database and the user who connects; absent members take the PostgreSQL driver's defaults. */
export interface ConnectionSettings {
  connectionString?: string;
  host?: string;
  port?: number;
  user?: string;
  password?: string;
  database?: string;
}
