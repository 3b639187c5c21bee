import { expect, test } from "bun:test";
import { invalidFields } from "./problem.ts";

test.each([
  [1, "/name0 is too long"],
  [2, "/name0 is too long (and 1 more)"],
  [4, "/name0 is too long (and 3 more)"],
])("the detail of %d errors names the first and how many more there are", (count, detail) => {
  const errors = Array.from({ length: count }, (_, index) => ({ pointer: `/name${index}`, detail: "is too long" }));
  expect(invalidFields(errors)).toMatchObject({ code: "validation_failed", detail, errors });
});

test("an error of the whole body has no pointer to name", () => {
  expect(invalidFields([{ pointer: "", detail: "must be an object" }]).detail).toBe("The body must be an object");
});
