import { expect, test } from "bun:test";
import { InsertStatements, manyRows, numberPlaceholders } from "./statements.ts";

test("one statement for each table and set of columns", () => {
  const statements = new InsertStatements();
  const first = statements.for("accounts", { id: "a", name: "one" });
  const sql = 'INSERT INTO accounts ("id", "name") VALUES (?, ?)';
  expect(first).toMatchObject({ sql, columns: ["id", "name"] });
  expect(manyRows(first, 1)).toBe(sql);
  expect(manyRows(first, 3)).toBe(`${sql}, (?, ?), (?, ?)`);
  expect(statements.for("accounts", { id: "b", name: null })).toBe(first);
  expect(statements.for("accounts", { id: "b" }).sql).toBe('INSERT INTO accounts ("id") VALUES (?)');
  expect(statements.for("tokens", { id: "a", name: "one" }).sql).toContain("INSERT INTO tokens");
});

test("placeholders are numbered in order", () => {
  expect(numberPlaceholders("SELECT ? WHERE a = ? AND b = ?")).toBe("SELECT $1 WHERE a = $2 AND b = $3");
  expect(numberPlaceholders("SELECT 1")).toBe("SELECT 1");
});
