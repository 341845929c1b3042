/**
 * The address of a database and the user who connects. For absent members, the defaults of the PostgreSQL driver apply.
 */
export interface ConnectionSettings {
  connectionString?: string;
  host?: string;
  port?: number;
  user?: string;
  password?: string;
  database?: string;
}
