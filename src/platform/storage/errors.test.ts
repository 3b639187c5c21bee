import { expect, test } from "bun:test";
import { isRetryable, ReferenceViolation, StorageUnavailable, translate, UniqueViolation } from "./errors.ts";

function failure(code: string | undefined, message = "something happened", constraint?: string): Error {
  return Object.assign(new Error(message), { code, constraint });
}

test.each([
  ["PostgreSQL", failure("23505", "duplicate key value", "api_keys_bucket_seq_hash_key")],
  ["SQLite", failure("SQLITE_CONSTRAINT_UNIQUE", "UNIQUE constraint failed: api_keys.bucket_seq, api_keys.hash")],
])("a unique rule has one name: %s", (_engine, error) => {
  const translated = translate(error);
  expect(translated).toBeInstanceOf(UniqueViolation);
  expect(translated).toMatchObject({ constraint: "api_keys_bucket_seq_hash_key", cause: error });
});

test.each(["23503", "SQLITE_CONSTRAINT_FOREIGNKEY"])("%s is a reference violation", (code) => {
  expect(translate(failure(code))).toBeInstanceOf(ReferenceViolation);
});

test.each([
  ["08006", "connection failure"],
  ["53300", "too many connections"],
  ["53100", "disk full"],
  ["57P01", "terminating connection due to administrator command"],
  ["57P03", "the database system is starting up"],
  ["57014", "canceling statement due to statement timeout"],
  ["58030", "could not read block"],
  ["25006", "cannot execute INSERT in a read-only transaction"],
  ["ECONNREFUSED", "connect ECONNREFUSED"],
  ["ECONNRESET", "read ECONNRESET"],
  ["EPIPE", "write EPIPE"],
  ["ETIMEDOUT", "connect ETIMEDOUT"],
  ["ENOTFOUND", "getaddrinfo ENOTFOUND"],
  ["SQLITE_FULL", "database or disk is full"],
  ["SQLITE_IOERR_WRITE", "disk I/O error"],
  ["SQLITE_BUSY", "database is locked"],
  [undefined, "Connection terminated unexpectedly"],
  [undefined, "timeout exceeded when trying to connect"],
  [undefined, "Query read timeout"],
])("%s (%s) means that storage is unavailable", (code, message) => {
  const error = failure(code, message);
  const translated = translate(error);
  expect(translated).toBeInstanceOf(StorageUnavailable);
  // The operator's detail is only in the cause.
  expect(translated).toMatchObject({ message: "storage does not respond", cause: error });
});

test.each([
  ["42601", "syntax error"],
  ["22P02", "invalid input syntax"],
  ["SQLITE_ERROR", "no such table"],
  [undefined, "undefined is not a function"],
])("%s (%s) is an internal error, and is not translated", (code, message) => {
  const error = failure(code, message);
  expect(translate(error)).toBe(error);
});

test("an error that is already translated is returned unchanged", () => {
  for (const error of [new StorageUnavailable(undefined), new UniqueViolation("rule"), new ReferenceViolation()])
    expect(translate(error)).toBe(error);
  for (const thing of [undefined, null, "text", 5]) expect(translate(thing)).toBe(thing);
});

test("a serialization conflict is retried; a constraint violation is not", () => {
  for (const code of ["40001", "40P01"]) expect(isRetryable(failure(code))).toBe(true);
  const moved = Object.assign(failure("23514"), { routine: "ExecPartitionCheckEmitError" });
  expect(isRetryable(moved)).toBe(true);
  for (const error of [failure("23505"), failure("23514"), failure(undefined), failure("conflict"), undefined])
    expect(isRetryable(error)).toBe(false);
});
