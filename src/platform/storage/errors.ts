/** A row violated a unique constraint. The name is `<table>_<columns>_key` on both engines. */
export class UniqueViolation extends Error {
  constructor(
    readonly constraint: string,
    options?: ErrorOptions,
  ) {
    super(`unique constraint ${constraint}`, options);
  }
}

/** Storage does not respond. Nothing was acknowledged, and the same work may succeed later. */
export class StorageUnavailable extends Error {
  constructor(cause: unknown) {
    super("storage does not respond", { cause });
  }
}

/** A row references a missing row, or a row that is still referenced was to be deleted. */
export class ReferenceViolation extends Error {}

/** The rows of one page of a list would take more memory than a request may. Nothing large was read. */
export class PageTooLarge extends Error {
  constructor(readonly maxBytes: number) {
    super(`a page of more than ${maxBytes} bytes`);
  }
}

interface DatabaseError {
  code?: string;
  constraint?: string;
  message?: string;
  routine?: string;
}

/** The one place where an engine's error codes are interpreted. */
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

/** A prepared statement failed because it is no longer known or current. It is prepared again, or not any more. */
export class StatementReplaced extends Error {}

/** The transaction conflicted with another one, or a statement must be prepared again: a retry can succeed. */
export function isRetryable(error: unknown): boolean {
  if (error instanceof StatementReplaced) return true;
  const { code, routine } = (error ?? {}) as DatabaseError;
  // The last: the row was on its way to the default partition when one for it was attached.
  return code === "40001" || code === "40P01" || (code === "23514" && routine === "ExecPartitionCheckEmitError");
}

/** A lock was not free within `lock_timeout`, or two transactions waited for each other. */
export function isLockTimeout(error: unknown): boolean {
  const code = (error as DatabaseError | undefined)?.code;
  return code === "55P03" || code === "40P01";
}

/** A node of a later release added a column to a table, and the prepared statement selects all of its columns. */
export function hasOtherColumns(error: unknown): boolean {
  const { code, routine } = (error ?? {}) as DatabaseError;
  // The code means only that something is not supported, and the message is in the language of the server.
  return code === "0A000" && routine === "RevalidateCachedQuery";
}

/** A pooler ran the statement on a connection that has not prepared it, or prepared it on one that already had. */
export function isNotPrepared(error: unknown): boolean {
  const { code } = (error ?? {}) as DatabaseError;
  return code === "26000" || code === "42P05";
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
    // PostgreSQL: connection errors, exhausted resources, shutdown by an operator, read-only after a failover
    /^(08|53|57P|58)/.test(code) ||
    code === "25006" ||
    code === "57014" ||
    /^(ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|ENOENT)/.test(code) ||
    /^SQLITE_(FULL|IOERR|BUSY|CANTOPEN|READONLY|NOMEM)/.test(code) ||
    isDriverMessage(message)
  );
}

/** Whether the error of a start has to do with the connection, and none of the servers can be used now. */
export function isUnreachable(error: unknown): boolean {
  const { cause = error } = error as Error;
  const errors: unknown[] = cause instanceof AggregateError ? cause.errors : [cause];
  return errors.some((each) => translate(each) instanceof StorageUnavailable || isTimeout(each));
}

/** The server did not respond at all. */
export function isTimeout(error: unknown): boolean {
  return /timeout/i.test((error as Error).message);
}

/** The PostgreSQL driver gives these errors no code. */
function isDriverMessage(message: string): boolean {
  return /^(Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error)/.test(
    message,
  );
}
