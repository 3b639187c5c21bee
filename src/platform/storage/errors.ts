/** A unique rule of the database rejected a row. The name is `<table>_<columns>_key` on both engines. */
export class UniqueViolation extends Error {
  constructor(
    readonly constraint: string,
    options?: ErrorOptions,
  ) {
    super(`unique constraint ${constraint}`, options);
  }
}

/** Storage does not respond; nothing was acknowledged, and the same work may succeed later. */
export class StorageUnavailable extends Error {
  constructor(cause: unknown) {
    super("storage does not respond", { cause });
  }
}

/** A row refers to one that is gone, or one that is still referred to was to be deleted. */
export class ReferenceViolation extends Error {}

interface DatabaseError {
  code?: string;
  constraint?: string;
  message?: string;
}

/** The one place where an engine's codes get a meaning. */
export function translate(error: unknown): unknown {
  if (isTranslated(error)) return error;
  const { code, constraint, message = "" } = (error ?? {}) as DatabaseError;
  if (typeof code !== "string" && !isDriverMessage(message)) return error;

  if (code === "23505") return new UniqueViolation(constraint ?? "", { cause: error });
  if (code === "SQLITE_CONSTRAINT_UNIQUE" || code === "SQLITE_CONSTRAINT_PRIMARYKEY")
    return new UniqueViolation(constraintOfSqlite(message), { cause: error });
  if (code === "23503" || code === "SQLITE_CONSTRAINT_FOREIGNKEY")
    return new ReferenceViolation("reference", { cause: error });
  if (isUnavailable(code ?? "", message)) return new StorageUnavailable(error);
  return error;
}

/** Another transaction was in the way; the same work run again can succeed. */
export function isRetryable(error: unknown): boolean {
  const code = (error as DatabaseError | undefined)?.code;
  return code === "40001" || code === "40P01";
}

function isTranslated(error: unknown): boolean {
  return error instanceof UniqueViolation || error instanceof ReferenceViolation || error instanceof StorageUnavailable;
}

/** "UNIQUE constraint failed: consumers.bucket_seq, consumers.name" → consumers_bucket_seq_name_key */
function constraintOfSqlite(message: string): string {
  const columns = message.slice(message.indexOf(": ") + 2).split(", ");
  const table = columns[0]?.split(".")[0];
  return `${table}_${columns.map((column) => column.split(".")[1]).join("_")}_key`;
}

function isUnavailable(code: string, message: string): boolean {
  return (
    // PostgreSQL: connection trouble, resources used up, shut down by an operator, read-only after a failover
    /^(08|53|57P|58)/.test(code) ||
    code === "25006" ||
    code === "57014" ||
    /^(ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|ENOENT)/.test(code) ||
    /^SQLITE_(FULL|IOERR|BUSY|CANTOPEN|READONLY|NOMEM)/.test(code) ||
    isDriverMessage(message)
  );
}

/** The PostgreSQL driver gives these no code. */
function isDriverMessage(message: string): boolean {
  return /^(Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error)/.test(
    message,
  );
}
