import { expect, test } from "bun:test";
import { exampleText } from "./example-value.ts";

test("examples of strings follow from the format, else from the last words of the name", () => {
  const examples = [
    { format: "email", name: "title" },
    { format: "uuid", name: "id" },
    { name: "customerEmail" },
    { name: "callback_url" },
    { name: "X-Created-At" },
    { name: "shippedOn" },
    { name: "orderId" },
    { name: "firstName" },
    { name: "name" },
    { name: "billingCity" },
    { name: "currency" },
    { name: "postalCode" },
    { name: "tags" },
    // Neither an unknown format nor an unknown name has an example.
    { format: "barcode", name: "title" },
    { name: "carrier" },
    { name: "" },
    { name: "constructor" },
    {},
  ].map(exampleText);
  expect(examples).toEqual([
    "user@example.com",
    "3fa85f64-5717-4562-b3fc-2c963f66afa6",
    "user@example.com",
    "https://example.com/",
    "2026-01-15T10:00:00Z",
    "2026-01-15T10:00:00Z",
    "8f14e45f",
    "Jo",
    "Example",
    "Berlin",
    "EUR",
    "10115",
    "new",
    ...Array(5).fill("text"),
  ]);
});

test("examples of strings have an allowed length", () => {
  expect(exampleText({ name: "country" })).toBe("Germany");
  expect(exampleText({ name: "country", maxLength: 2 })).toBe("DE");
  expect(exampleText({ name: "city", maxLength: 3 })).toBe("tex");
  expect(exampleText({ name: "city", minLength: 8 })).toBe("texttext");
  expect(exampleText({ format: "date", maxLength: 4 })).toBe("2026");
});
