import { expect, test } from "bun:test";
import { outgoing } from "./outgoing.ts";
import { Output } from "./output.ts";

/** The calls on all sockets of a test, in order. */
class Recorder {
  readonly calls: string[] = [];
  /** The number of bytes each socket accepts before it must drain. */
  room = Number.POSITIVE_INFINITY;
  onWrite: (() => void) | undefined;

  output(name: string, peer: "client" | "server" = "client"): Output {
    return new Output(
      {
        write: (data, offset, length) => {
          const from = offset ?? 0;
          const bytes = Buffer.from(data as Uint8Array).subarray(
            from,
            length === undefined ? undefined : from + length,
          );
          const accepted = bytes.subarray(0, this.room);
          this.room -= accepted.length;
          this.calls.push(`${name}: ${abridged(accepted.toString("latin1"))}`);
          this.onWrite?.();
          return accepted.length;
        },
        shutdown: () => void this.calls.push(`${name} shutdown`),
        end: () => this.calls.push(`${name} end`),
        terminate: () => void this.calls.push(`${name} terminate`),
      },
      peer,
    );
  }
}

function abridged(text: string): string {
  return text.length > 100 ? `${text[0]} * ${text.length}` : text;
}

const turnEnd = () => new Promise((resolve) => setImmediate(resolve));

test("messages are written at the end of the turn, one write per socket where they follow each other", async () => {
  const recorder = new Recorder();
  const [first, second] = [recorder.output("first"), recorder.output("second")];
  first.text("head ");
  expect(first.bytes(Buffer.from("body"))).toBe(true);
  second.text("other");
  expect(recorder.calls).toEqual([]);
  await turnEnd();
  expect(recorder.calls).toEqual(["first: head body", "second: other"]);
  await turnEnd();
  expect(recorder.calls).toHaveLength(2);
  // The memory is reused.
  outgoing.begin("");
  expect(outgoing.start).toBe(0);
});

test("requests are written before responses", async () => {
  const recorder = new Recorder();
  recorder.output("client", "client").text("response");
  recorder.output("server", "server").text("request");
  await turnEnd();
  expect(recorder.calls).toEqual(["server: request", "client: response"]);
});

test("messages sent during a write are written in the same turn, and overwrite nothing", async () => {
  const recorder = new Recorder();
  const client = recorder.output("client");
  const servers = Array.from({ length: 100 }, (_, index) => recorder.output(String(index), "server"));
  recorder.onWrite = () => {
    recorder.onWrite = undefined;
    recorder.room = Number.POSITIVE_INFINITY;
    for (const server of servers) server.text("request");
  };
  recorder.room = 2;
  client.text("response");
  await turnEnd();
  client.drained();
  expect(recorder.calls).toEqual(["client: re", ...servers.map((_, index) => `${index}: request`), "client: sponse"]);
});

test("messages of one socket stay in order, whatever is sent to others in between", async () => {
  const recorder = new Recorder();
  const [first, second] = [recorder.output("first"), recorder.output("second")];
  first.text("1");
  second.text("a");
  first.text("2");
  second.text("b");
  first.bytes(Buffer.alloc(20_000, "x"));
  first.text("3");
  await turnEnd();
  const to = (name: string) => recorder.calls.filter((call) => call.startsWith(name));
  expect(to("first")).toEqual(["first: 1", "first: 2", "first: x * 20000", "first: 3"]);
  expect(to("second")).toEqual(["second: a", "second: b"]);
});

test("a socket is ended after its queued messages", () => {
  const recorder = new Recorder();
  const [half, whole] = [recorder.output("half"), recorder.output("whole")];
  half.text("last");
  half.end();
  whole.text("last");
  whole.end(true);
  expect(recorder.calls).toEqual(["half: last", "half shutdown", "whole: last", "whole end"]);
});

test("bytes that a full socket does not accept are written when it drains, before later ones", async () => {
  const recorder = new Recorder();
  const output = recorder.output("slow");
  let drained = 0;
  output.onDrained = () => void drained++;
  recorder.room = 3;
  output.text("12345");
  expect(output.isWaiting).toBe(false);
  await turnEnd();
  expect(output.isWaiting).toBe(true);
  output.text("67");
  expect(output.bytes(Buffer.from("8"))).toBe(false);
  expect(output.bytes(Buffer.alloc(20_000, "x"))).toBe(false);
  output.end();
  await turnEnd();
  expect(recorder.calls).toEqual(["slow: 123"]);
  recorder.room = Number.POSITIVE_INFINITY;
  output.drained();
  expect(recorder.calls.slice(1)).toEqual(["slow: 4567", "slow: 8", "slow: x * 20000", "slow shutdown"]);
  expect(drained).toBe(0);
});

test("many messages, and many bytes, are written before the turn ends", () => {
  const recorder = new Recorder();
  const outputs = Array.from({ length: 64 }, (_, index) => recorder.output(String(index)));
  for (const output of outputs) output.text("message");
  expect(recorder.calls).toEqual(outputs.map((_, index) => `${index}: message`));
  recorder.room = 40_000;
  const output = recorder.output("large");
  let pieces = 0;
  while (output.bytes(Buffer.alloc(10_000, "x"))) pieces += 1;
  // A producer that never waits for the end of the turn still gets backpressure.
  expect(pieces).toBe(6);
  expect(recorder.calls.at(-1)).toBe("large: x * 40000");
});

test("a socket that throws does not delay others, and the queue stays bounded", async () => {
  const recorder = new Recorder();
  recorder.onWrite = () => {
    recorder.onWrite = undefined;
    throw new Error("broken socket");
  };
  const send = () => {
    for (let index = 0; index < 64; index++) recorder.output(String(index)).text("message");
  };
  expect(send).toThrow("broken socket");
  expect(recorder.calls).toHaveLength(1);
  send();
  expect(recorder.calls).toHaveLength(65);
  await turnEnd();
  expect(recorder.calls).toHaveLength(128);
});
