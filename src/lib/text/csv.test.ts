import { expect, test } from "bun:test";
import { runInSlices } from "../tasks/slices.ts";
import { csvSteps, parseCsv } from "./csv.ts";

const csvText = (...given: Parameters<typeof csvSteps>) => runInSlices(csvSteps(...given)) as string;

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
  expect(cells(csvText(["a", "b", "c", "d", "e", "f", "g"], rows))).toEqual([
    ["a", "b", "c", "d", "e", "f", "g"],
    ["plain", "with, comma", 'a "quote"', "two\nlines", "12", "true", ""],
    ["'=1+1", "' @a", "'-1", "-1", "", "", ""],
  ]);
});
