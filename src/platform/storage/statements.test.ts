import { expect, test } from "bun:test";
import { InsertStatements, numberPlaceholders } from "./statements.ts";

test("one statement for each table and set of columns", () => {
  const statements = new InsertStatements();
  const first = statements.for("accounts", { id: "a", name: "one" });
  expect(first).toEqual({ sql: 'INSERT INTO accounts ("id", "name") VALUES (?, ?)', columns: ["id", "name"] });
  expect(statements.for("accounts", { id: "b", name: null })).toBe(first);
  expect(statements.for("accounts", { id: "b" }).sql).toBe('INSERT INTO accounts ("id") VALUES (?)');
  expect(statements.for("tokens", { id: "a", name: "one" }).sql).toContain("INSERT INTO tokens");
});

test("placeholders are numbered in order", () => {
  expect(numberPlaceholders("SELECT ? WHERE a = ? AND b = ?")).toBe("SELECT $1 WHERE a = $2 AND b = $3");
  expect(numberPlaceholders("SELECT 1")).toBe("SELECT 1");
});
