import { expect, test } from "bun:test";
import { csvOf, parseCsv, plainCell } from "./csv.ts";
import { readCsvItems } from "./csv-items.ts";

const cells = (text: string) => parseCsv(text).map((row) => row.cells);

test("parses values, quotes, LF and CRLF", () => {
  expect(cells('a,b\nc,"d, e"\r\n"say ""hi""",\n')).toEqual([
    ["a", "b"],
    ["c", "d, e"],
    ['say "hi"', ""],
  ]);
});

test("rows have the number of their first line, also after quoted line breaks and empty lines", () => {
  expect(parseCsv('a\n\n"two\nlines",x\n\r\nlast')).toEqual([
    { line: 1, cells: ["a"] },
    { line: 3, cells: ["two\nlines", "x"] },
    { line: 6, cells: ["last"] },
  ]);
});

test("a byte order mark and a missing final line break are ignored; empty quotes are an empty value", () => {
  expect(cells('\ufeffname,"note"\nacme,""')).toEqual([
    ["name", "note"],
    ["acme", ""],
  ]);
  expect(cells("")).toEqual([]);
});

test.each([
  ['a\nb,"c', "line 2: a quote is opened and not closed."],
  ['a\nb"c', "line 2: a quote stands in the middle of a value"],
  ['a\n"b"c', "line 2: a quote stands in the middle of a value"],
])("%j is rejected with its line", (text, message) => {
  expect(() => parseCsv(text)).toThrow(message);
});

test("a written value is parsed again; a text that a spreadsheet would evaluate as a formula gets an apostrophe", () => {
  const rows = [
    ["plain", "with, comma", 'a "quote"', "two\nlines", 12, true, null],
    ["=1+1", " @a", "-1", -1, "", "", ""],
  ];
  expect(cells(csvOf(["a", "b", "c", "d", "e", "f", "g"], rows))).toEqual([
    ["a", "b", "c", "d", "e", "f", "g"],
    ["plain", "with, comma", 'a "quote"', "two\nlines", "12", "true", ""],
    ["'=1+1", "' @a", "'-1", "-1", "", "", ""],
  ]);
});

test("a decimal is written as it is", () => {
  expect(cells(csvOf(["a", "b"], [[{ decimal: "-6.00" }, { decimal: "12345678901234567.89" }]]))[1]).toEqual([
    "-6.00",
    "12345678901234567.89",
  ]);
});

test("a formula's apostrophe is removed again, and others are kept", () => {
  expect(["'=1+1", "' @a", "'-1", "'tis", "-1", ""].map(plainCell)).toEqual(["=1+1", " @a", "-1", "'tis", "-1", ""]);
});

test("lines are read as objects, and every error is reported with its line", () => {
  const columns = {
    name: String,
    "tags.*": String,
    seats: (text: string) => {
      if (!/^\d+$/.test(text)) throw new Error(`must be a number, not "${text}"`);
      return Number(text);
    },
  };
  const text = "name,tags.plan,tags.region,seats\nacme,gold,eu,12\nglobex,,,\ninitech,,,many\nhooli,,,,5\n'=x,,,0";
  expect(readCsvItems(text, columns)).toEqual({
    items: [
      { line: 2, fields: { name: "acme", tags: { plan: "gold", region: "eu" }, seats: 12 }, cells: expect.any(Array) },
      { line: 3, fields: { name: "globex" }, cells: expect.any(Array) },
      { line: 6, fields: { name: "=x", seats: 0 }, cells: expect.any(Array) },
    ],
    errors: [
      { line: 4, message: 'line 4, seats: must be a number, not "many"' },
      { line: 5, message: "line 5 has 5 values for 4 columns." },
    ],
  });
  expect(readCsvItems("", columns)).toEqual({ items: [], errors: [] });
  expect(readCsvItems("nam\nacme", columns).errors).toEqual([
    {
      line: 1,
      message: 'the first line must have the column names, and there is no column "nam"; did you mean "name"?',
      hint: "Columns: name, tags.*, seats",
    },
  ]);
});
