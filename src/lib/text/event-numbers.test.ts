import { expect, test } from "bun:test";
import { EventNumbers } from "./event-numbers.ts";

/** The numbers in a stream that arrives in pieces of each size. */
function numbersIn(stream: string): (number | undefined)[][] {
  const bytes = Buffer.from(stream);
  return [1, 2, 3, bytes.length].map((size) => {
    const numbers = new EventNumbers(["/usage"]);
    for (let at = 0; at < bytes.length; at += size) numbers.push(bytes.subarray(at, at + size));
    numbers.end();
    return numbers.values;
  });
}

const each = (value: number | undefined) => [[value], [value], [value], [value]];

test("the first event counts if the stream begins with a byte order mark", () => {
  expect(numbersIn('\uFEFFdata: {"usage":5}\n\n')).toEqual(each(5));
  expect(numbersIn('\uFEFFdata: {"usage":5}')).toEqual(each(5));
});

test("a byte order mark is ignored only at the beginning", () => {
  expect(numbersIn('data: {"usage":5}\n\n\uFEFFdata: {"usage":6}\n\n')).toEqual(each(5));
  expect(numbersIn('\uFEFF\uFEFFdata: {"usage":5}\n\n')).toEqual(each(undefined));
});

test("lines end with LF, CR or CRLF, also between two pieces", () => {
  for (const end of ["\n", "\r", "\r\n"])
    expect(numbersIn(['data: {"usage":', "data: 7}", "", 'data: {"other":1}', "", ""].join(end))).toEqual(each(7));
});
